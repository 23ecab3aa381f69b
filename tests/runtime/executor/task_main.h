// main() of a test whose ranks run programs of tasks: tacit initialises MPI, with threads, and finalises it at exit.
#pragma once

#include "mpi_main.h"

#include <tacit/tasks.hpp>

namespace tacit::test {

inline int task_main(int argc, char** argv) {
  const queue keeps_running;
  return run_tests(argc, argv);
}

} // namespace tacit::test
