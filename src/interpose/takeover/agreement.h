// What a client that does calls in the library's place implements, too, if it has to ask the other ranks
// first.
#pragma once

namespace tacit::interpose {

class agreeing_client {
public:
  virtual ~agreeing_client() = default;
  /// MPI is initialized and the gate (gate.h) has been opened: `allowed` says whether this process may take
  /// calls over; the client answers whether it will, for good. It may communicate: all ranks that run the
  /// same clients come here before any other call of theirs.
  virtual bool agree(bool allowed) = 0;
  /// The program calls MPI_Session_init before MPI_Init, or without it: nobody can be asked yet. The client
  /// answers whether it may be asked to do calls; whom it has to ask for that it asks later, in a call that
  /// all of them make, which it is shown whatever it answers. Local.
  virtual bool begin_alone(bool allowed) = 0;
};

} // namespace tacit::interpose
