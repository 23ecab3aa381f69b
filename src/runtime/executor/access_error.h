// An element that a task has accessed and may not: the accessor knows neither task nor buffer, who runs the task adds them.
#pragma once

#include <stdexcept>
#include <string>

namespace tacit::runtime {

struct access_error : std::runtime_error {
  access_error(std::size_t number, const std::string& what) : std::runtime_error(what), accessor(number) {}
  std::size_t accessor; ///< in the order in which the command group made them
};

} // namespace tacit::runtime
