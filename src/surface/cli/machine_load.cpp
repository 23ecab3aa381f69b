#include "surface/cli/machine_load.h"

#include <array>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

namespace tacit::surface {
namespace {

/// Since the machine was started, in ticks, over all cores. The columns of the first line of /proc/stat: user, nice,
/// system, idle, waiting for disks, interrupts (two), stolen.
double busy_ticks() {
  std::ifstream file("/proc/stat");
  std::string name;
  std::array<double, 8> ticks{};
  file >> name;
  for (double& one : ticks)
    file >> one;
  return file ? ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7] : 0;
}

} // namespace

double busy_cores(std::chrono::milliseconds interval) {
  const double before = busy_ticks();
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(interval);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return (busy_ticks() - before) / (static_cast<double>(::sysconf(_SC_CLK_TCK)) * passed.count());
}

bool is_noise(double cores_busy_with_others) {
  return cores_busy_with_others > 0.25;
}

} // namespace tacit::surface
