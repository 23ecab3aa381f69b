#include "interpose/layer/polls.h"

namespace tacit::interpose {

constinit open_poll open_polls[max_open_polls + 1];

} // namespace tacit::interpose
