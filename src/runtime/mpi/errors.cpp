#include "runtime/mpi/errors.h"

#include "runtime/mpi/datatype.h"

#include <algorithm>
#include <new>

namespace tacit::runtime {

call_error::call_error(kind why_, std::string_view first, std::string_view second, bool complete_) noexcept
    : why(why_), complete(complete_) {
  const std::size_t begun = std::min(first.size(), most_text - 1);
  const std::size_t rest = std::min(second.size(), most_text - 1 - begun);
  first.copy(text_.data(), begun);
  second.copy(text_.data() + begun, rest);
  text_[begun + rest] = '\0';
}

call_error current_error() noexcept {
  using kind = call_error::kind;
  try {
    throw;
  } catch (const call_error& e) {
    return e;
  } catch (const too_many_pieces& e) {
    return {kind::pieces, "datatype: ", e.what(), false};
  } catch (const datatype_error& e) {
    return {kind::argument, "datatype: ", e.what(), false};
  } catch (const mpi_error& e) {
    return {kind::mpi, e.what()};
  } catch (const memory_error& e) {
    return {kind::memory, "out of memory: ", e.what(), false};
  } catch (const std::bad_alloc&) {
    return {kind::memory, "out of memory"};
  } catch (const std::length_error&) {
    return {kind::memory, "out of memory: more elements than a list can hold"};
  } catch (const std::exception& e) {
    return {kind::internal, "internal error: ", e.what(), false};
  } catch (...) {
    return {kind::internal, "an exception of an unknown type, perhaps thrown by a computation of the graph"};
  }
}

const char* remedy_for(call_error::kind why) {
  switch (why) {
  case call_error::kind::memory:
    return "give the rank more memory, or communicate less at once";
  case call_error::kind::mpi:
    return "see what MPI says; free communicators, requests and datatypes that are not needed";
  case call_error::kind::internal:
    return "please report this with the program";
  default:
    return "";
  }
}

} // namespace tacit::runtime
