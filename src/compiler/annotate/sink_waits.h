// `cco` on programs that post and wait themselves: MPI_Wait and MPI_Waitall move down in their block, past statements that are proven
// or claimed to leave the messages alone (the paper's step 8 on waits that are there already). What must hold: the requests are
// a variable of the function that only MPI's posts and completions use, and every post of it is seen; a receive from
// anybody, or a synchronous send, stays; the wait's own arguments mean the same where it stands then.
#pragma once

#include "compiler/annotate/rewriting.h"

namespace tacit::compiler {

class function_facts;

struct sunk_waits {
  bool listed = false; ///< the annotation is about waits
  bool moved = false;  ///< some have moved
};

sunk_waits sink_waits(const unit& of, const annotated_statement& at, const function_facts& facts,
                      changes& into);

} // namespace tacit::compiler
