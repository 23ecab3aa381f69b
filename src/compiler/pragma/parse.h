// From the text of a pragma to what it says. The text is what stands behind `#pragma mpi`, lines that end with a backslash
// already joined or not. Any bytes may be given: what is wrong is said with its place and with what was expected there, and
// nothing is thrown. Costs time proportional to the length of the text.
#pragma once

#include "compiler/pragma/annotation.h"

#include <optional>
#include <string>
#include <string_view>

namespace tacit::compiler {

/// The first thing that is wrong with a pragma.
struct malformed {
  std::size_t at = 0;   ///< offset in the text
  std::string problem;  ///< "there is no annotation 'indpe' (did you mean indep?)"
  std::string expected; ///< the form of the whole, "#pragma mpi indep MPI_Send|…(EXPRESSION, …) …"
};

struct parsed_pragma {
  std::optional<annotation> says; ///< empty: `wrong` says why
  malformed wrong;
};

parsed_pragma parse_pragma(std::string_view text);

/// The pragma that says this, without `#pragma mpi`: what the parser reads as the same value.
std::string write_pragma(const annotation& says);

/// "#pragma mpi cco MPI_Send|…": how an annotation is written.
std::string form_of(annotation_kind kind);

} // namespace tacit::compiler
