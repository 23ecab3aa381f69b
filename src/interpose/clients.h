// One interposer, several clients: who is shown every call, and how the interposer comes to life and steps
// aside.
//
// Clients are shown a call before and after the library does it. What goes wrong inside a client never
// reaches the program: the client is switched off, this is reported once, and calls pass on unchanged.
#pragma once

#include "interpose/invocation.h"

namespace tacit::interpose {

class client {
public:
  virtual ~client() = default;
  /// MPI is initialized now (`v` is the initializing call). False: nothing to do in this run.
  virtual bool start(const invocation& v) = 0;
  virtual void before(invocation& v) = 0;
  virtual void after(invocation& v, int result) = 0;
  /// The process ends without MPI_Finalize, but orderly.
  virtual void end() = 0;
  /// This is a forked child.
  virtual void forked() = 0;
};

/// False: wrappers pass on directly.
extern bool clients_active;

void before(invocation& v);
void after(invocation& v, int result);

/// The recorder, the only client so far.
client& recorder();

} // namespace tacit::interpose
