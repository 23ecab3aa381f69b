// What else this machine does while nothing of ours runs: measurements beside it are noise.
#pragma once

#include <chrono>

namespace tacit::surface {

/// How many of its cores are busy on average during `interval`, which the call waits for; the time that a hypervisor gives
/// to other machines counts as busy. 0 if the system does not say.
double busy_cores(std::chrono::milliseconds interval);

/// Whether so much other work makes measured times worthless: more than a quarter of a core. Ranks of a measurement wait
/// for each other, so that one that has lost its core holds all.
bool is_noise(double cores_busy_with_others);

} // namespace tacit::surface
