// What is wrong with a task, whatever the number of ranks: unknown buffers, mappers that leave their buffer, reads of elements
// that nobody wrote. (Overlapping writes depend on the split: layout/overlap.h.)
#pragma once

#include "tasks/space/by_buffer.h"
#include "tasks/stream/stream.h"

#include "vocabulary/base/diagnostic.h"
#include "vocabulary/calls/reasons.h"

namespace tacit::tasks {

/// "task 3 'step'", "buffer 0 'P'".
std::string name_of(task_id id, const std::string& name);
std::string name_of(const task& t);
std::string name_of(buffer_id id, const buffer& b);
/// An error of a task program, with its code and remedy.
diagnostic problem(reason why, std::string message, std::string remedy);

class stream_checks {
public:
  void add_buffer(const buffer& b);
  void drop_buffer(buffer_id buffer) { initialized_.drop(buffer); }
  /// Appends what is wrong with a task; if nothing is, what it writes counts as written from now on. True if it is right.
  bool check(const task& t, const std::vector<buffer>& buffers, diagnostics& problems);

private:
  bool check_access(const task& t, const access& a, const buffer& b, diagnostics& problems) const;
  bool check_written(const task& t, buffer_id buffer, const region& read, const std::string& how,
                     const tasks::buffer& b, diagnostics& problems) const;

  by_buffer<region> initialized_;
};

} // namespace tacit::tasks
