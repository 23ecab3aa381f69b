// The drivers that exist, one file each.
#pragma once

#include "run/driver.h"

namespace tacit {

const driver& shm();
const driver& coll();
const driver& p2p();
const driver& rma();
const driver& dry();

} // namespace tacit
