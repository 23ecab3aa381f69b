// The client that takes neighborhood collectives over; see takeover.cpp.
#pragma once

#include "interpose/layer/clients.h"

namespace tacit::interpose {

client& neighborhood_taker();

} // namespace tacit::interpose
