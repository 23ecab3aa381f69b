// The drivers that exist, one file each.
#pragma once

#include "runtime/run/driver.h"

namespace tacit::runtime {

const driver& shm();
const driver& coll();
const driver& pcoll();
const driver& p2p();
const driver& rma();
const driver& dry();

} // namespace tacit::runtime
