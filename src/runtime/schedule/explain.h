// What a compilation found, for people and for programs.
#pragma once

#include "graphs/choice/choose.h"
#include "graphs/compile/compile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tacit::runtime {

struct explanation {
  std::string text, json;
};

struct graph_size {
  std::uint64_t operations = 0, transfers = 0;
};

/// The part that is the same on all ranks. `prices`: where those of `chosen` are from. `size`: of the graph that `g` stands for, if it is
/// another one.
explanation explain(const graphs::graph& g, const graphs::compilation& c, const graphs::choice& chosen,
                    std::string_view prices, std::optional<graph_size> size = {});

/// Of a graph of which it is not known yet what it means, in the same form.
explanation explain_unknown(const graphs::graph& g);

/// With a line "what: words", and a member of that name.
explanation with_note(const explanation& known, std::string_view what, std::string_view words);

/// With the variant that runs, and what only this rank knows: its own steps.
explanation explain_here(const explanation& shared, std::string_view plan, std::string_view driver,
                         const std::string& steps);

/// With what of it was kept from an earlier compilation.
explanation with_kept(const explanation& known, std::string_view kept);

/// With what an earlier run has measured.
explanation with_measured_before(const explanation& known, std::string_view measured);

/// With what measuring candidates has shown so far.
explanation with_measured(const explanation& known, std::string_view measured);

} // namespace tacit::runtime
