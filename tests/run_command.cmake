# Runs a command that has to succeed; what it prints is in `output`.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}: exit ${result}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
