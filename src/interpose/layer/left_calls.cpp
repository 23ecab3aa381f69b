#include "interpose/layer/left_calls.h"

namespace tacit::interpose {

constinit thread_local left_calls left_by_thread;
std::atomic<std::uint64_t> left_calls_version = 1;

} // namespace tacit::interpose
