#pragma once

#include <exception>
#include <string>

namespace tacit::runtime {

/// What something of the program has thrown, in words.
inline std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

} // namespace tacit::runtime
