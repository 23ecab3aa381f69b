// What the processes of a window agree on before they send packed messages at its fences. What must hold, beside the promise: the memory
// model is unified, because the target stores into memory that others access; all processes have one displacement unit; all of them
// are of one MPI_COMM_WORLD, so that they can make a communicator; none has loaded a library of devices.
#pragma once

#include "compiler/coalesce/packed_messages.h"
#include "compiler/coalesce/window_store.h"

namespace tacit::compiler {

struct exchange_ground {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, processes = 0;
  char* base = nullptr;      ///< of this process's memory
  MPI_Aint* bytes = nullptr; ///< of each process's
  packed_messages messages;
};

/// Null: fences stay what they are. Collective, for who has no store, too.
exchange_ground* ground_of(MPI_Win win, window_store* store);

/// With the window. Collective.
void release_ground(exchange_ground* ground);

} // namespace tacit::compiler
