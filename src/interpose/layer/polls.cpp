#include "interpose/layer/polls.h"

namespace tacit::interpose {

constinit open_poll open_polls[max_open_polls + 1];
constinit newest_poll newest_polls[6];

} // namespace tacit::interpose
