// What is said about annotated code, as plain values: errors in pragmas, what was transformed, what was not and why. The words are those
// of vocabulary/calls/remarks.def.
#pragma once

#include "vocabulary/base/diagnostic.h"
#include "vocabulary/calls/reasons.h"
#include "vocabulary/calls/remarks.h"

#include <clang/Basic/SourceLocation.h>
#include <string>
#include <vector>

namespace tacit::compiler {

using vocabulary::reason;
using vocabulary::remark;
using vocabulary::severity;
using vocabulary::wording;

struct finding {
  severity level = severity::remark;
  clang::SourceLocation where;
  reason code = reason::none; ///< none: it was transformed
  std::string text;
  std::string note; ///< the form that was expected, or where the other side of a conflict is
  clang::SourceLocation note_at;
  std::string decided_by =
      {}; ///< "pragma", "flag", "platform", "run" (when the program runs); empty: nothing was to be decided
  bool unchecked =
      false; ///< of what stays as it is: check mode checks nothing that the annotation claims of it
};

using findings = std::vector<finding>;

} // namespace tacit::compiler
