// The ways of doing one exchange, each ready to run.
#pragma once

#include "surface/trial/pattern.h"

#include <memory>
#include <string>
#include <vector>

namespace tacit::surface {

class way {
public:
  virtual ~way() = default;
  /// Collective; returns when this rank has everything. Empty, or an error of this rank.
  virtual std::string exchange() = 0;
  std::string name;
  std::string detail;     ///< what it does, one line or several
  bool is_choice = false; ///< what tacit takes when nothing is forced
};

/// Collective. What cannot be made is left out, with the reason in `left_out`. Buffers and pattern must
/// outlive the ways.
std::vector<std::unique_ptr<way>> make_ways(const pattern& p, exchange_buffers& b,
                                            std::vector<std::string>& left_out);

} // namespace tacit::surface
