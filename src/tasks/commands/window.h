// The window of tasks that wait to be planned together, and what follows from a task alone.
#pragma once

#include "tasks/discover/classify.h"
#include "tasks/layout/distribution.h"
#include "tasks/stream/task_stream.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tacit::tasks {

/// Parts of buffers that a command reads or writes.
struct touched {
  buffer_id buffer{};
  region where;
};

/// What a task wants to find in a buffer, or leaves there.
struct demand {
  buffer_id buffer{};
  distribution where;
  region image; ///< of all ranks
  region mine;
};

/// A task and what follows from what it says alone: not from its number, and not from the tasks before it.
struct described {
  task what;                        ///< its number is that of the first that said it
  std::shared_ptr<const task> said; ///< the object that said it, where it may come again
  std::uint64_t digest = 0;
  std::vector<region> by_all;          ///< by access: what all chunks together touch
  std::shared_ptr<const split> chunks; ///< null for horizons and epochs, and where nobody has a chunk
  std::vector<demand> wanted, written;
  box chunk;                          ///< this rank's
  std::vector<region> mine;           ///< by access: what this rank's chunk touches
  std::vector<touched> reads, writes; ///< by buffer: the same
  bool barrier() const { return what.kind == task_kind::horizon || what.kind == task_kind::epoch; }
  /// The reduction into a buffer, if there is one.
  const reduction* partial(buffer_id buffer) const;
};

/// A task of the window.
struct planned {
  submitted at;
  std::shared_ptr<const described> what;
};

/// What became of data that one task needs and another one produced on other ranks.
struct exchange_edge {
  task_id producer{}, consumer{};
  buffer_id buffer{};
  box where;
  std::optional<collective_kind> kind;
  reason why_not = reason::none; ///< of messages
  exchange_id number{};          ///< of a collective
  bool ahead = false;            ///< brings more than this consumer needs: a later one needs it
};

} // namespace tacit::tasks
