// The one way to start another program. It always goes through posix_spawn, so that nothing of this process
// runs in the new one: no handler of ours, no lock held by another thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tacit::surface {

struct child_result {
  int exit_code = 0; ///< of the program, or 128 + the signal that killed it
  int signal = 0;    ///< that killed it, or 0
  int received = 0;  ///< a signal that came to this process meanwhile, or 0
  std::string outcome() const;
};

/// Runs it with our standard input, output and error, hands on signals that we get, and waits for its end.
/// Throws user_error if it cannot be started.
child_result run_child(const std::vector<std::string>& words);

/// The same with standard output and error in the file `log` and nothing to read; calls `meanwhile` a few
/// times per second.
child_result run_logged(const std::vector<std::string>& words, const std::string& log,
                        const std::function<void()>& meanwhile);

/// Standard output of a program whose errors nobody wants to see; empty if it cannot be started or fails.
std::string output_of(const std::vector<std::string>& words);

/// Becomes the program. Returns only if it cannot be started; errno says why.
void execute(const std::vector<std::string>& words);

} // namespace tacit::surface
