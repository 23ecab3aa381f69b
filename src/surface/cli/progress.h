// One line of progress on standard error, only if that is a terminal or the user asked for it, and only if
// the work takes long enough to be noticed.
#pragma once

#include <chrono>
#include <string_view>

namespace tacit::surface {

class progress_line {
public:
  explicit progress_line(bool wanted);
  ~progress_line() { clear(); }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  /// What is being done now; `share` (0 … 1) of it is done, 0 if that is not known.
  void show(std::string_view part, double share);
  /// Takes the line away again.
  void clear();

private:
  bool terminal_, wanted_, visible_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

} // namespace tacit::surface
