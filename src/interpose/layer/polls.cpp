#include "interpose/layer/polls.h"

namespace tacit::interpose {

open_poll open_polls[max_open_polls];
std::size_t open_poll_count = 0;
bool quick_polls = false;

} // namespace tacit::interpose
