// What all processes of a communicator know of the exchanges that its programs pipeline: how each kind travels. A kind is a line of the
// program, and a power of two of bytes.
//
// Whether to pipeline, and how, is decided by all processes together, because an exchange lost 2x by it on one of the paper's machines. They
// agree behind the first exchange of the kind, which is MPI_Alltoall, because they may not wait for each other in front of their loops: the
// loop of one may send what another waits for. Measured: rounds of each way in turns, the first of each not counted, and of the slowest process's
// times the best. Predicted: what each way takes is played with the machine's costs and the length of the loop (played_exchange.h), as
// the round behind the agreement showed it.
#pragma once

#include "compiler/coalesce/own_communicator.h"
#include "compiler/coalesce/put_window.h"

#include <tacit/coalesce.h>

namespace tacit::compiler {

/// How an exchange travels.
enum way : int { as_written, in_parts, by_puts };
constexpr int all_ways = 3;

struct known_exchange {
  const char* file;
  int line, magnitude; ///< of the bytes of a block
  int number;          ///< of those that the communicator has known; the same on all processes
  int when;            ///< as agreed; NEVER, ALWAYS or PUTS once it is decided
  int round;
  double best[all_ways]; ///< seconds
  tacit_pipeline_costs costs;
  put_window* window;  ///< of a way that is by_puts, or may be
  const char* no_puts; ///< why there is none; null: nobody has asked
  known_exchange* next;
};

struct known_exchanges {
  own_communicator own;
  known_exchange* first;
  int count;
  bool
      came_apart; ///< processes have come to different exchanges, which check mode has seen: all are MPI_Alltoall from then on
  known_exchanges* next; ///< of another communicator
};

/// Null: nothing is known yet.
known_exchanges* known_of(MPI_Comm comm);
known_exchange* find(const known_exchanges* among, const tacit_pipeline& p);

/// How the next one travels, with blocks of so many bytes. The same on all processes.
way way_of(const known_exchange& e, std::ptrdiff_t block);

/// Behind the first exchange of its kind. Collective.
void make_known(const tacit_pipeline& p, MPI_Comm comm);
/// Behind the others. Collective where something is decided.
void learn(const tacit_pipeline& p, known_exchanges& among, known_exchange& e);
/// What was put has not come, on all processes: it is MPI_Alltoall from now on.
void give_up_puts(known_exchanges& among, known_exchange& e);

} // namespace tacit::compiler
