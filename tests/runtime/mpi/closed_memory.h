// Memory that plays a device's: closed to the processor while no call of MPI is on the stack.
#pragma once

#include <cstddef>
#include <sys/mman.h>

namespace tacit::test {

/// While one of these lives, MPI is at work and may go to the device, `bytes` at what `device` leads to; null: there is none yet.
template <auto& device, std::size_t bytes>
class at_work_on {
public:
  at_work_on() {
    if (device && depth_++ == 0)
      mprotect(device, bytes, PROT_READ | PROT_WRITE);
  }
  ~at_work_on() {
    if (device && --depth_ == 0)
      mprotect(device, bytes, PROT_NONE);
  }
  at_work_on(const at_work_on&) = delete;
  at_work_on& operator=(const at_work_on&) = delete;

private:
  static inline int depth_ = 0; ///< of MPI calls that may touch user memory
};

} // namespace tacit::test
