// The variants of doing one exchange, each ready to run.
#pragma once

#include "surface/trial/pattern.h"

#include <memory>
#include <string>
#include <vector>

namespace tacit::surface {

class variant {
public:
  virtual ~variant() = default;
  /// Collective; returns when this rank has everything. Empty, or an error of this rank.
  virtual std::string exchange() = 0;
  std::string name;
  std::string detail;     ///< what it does, one line or several
  bool is_choice = false; ///< what tacit takes when nothing is forced
};

/// Collective. What cannot be made is left out, with the reason in `left_out`. Buffers and pattern must
/// outlive the variants.
std::vector<std::unique_ptr<variant>> make_variants(const pattern& p, exchange_buffers& b,
                                                    std::vector<std::string>& left_out);

} // namespace tacit::surface
