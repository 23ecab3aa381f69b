// Arguments of a completion: the program evaluates them where its call stands, the transformed one later.
#pragma once

#include "compiler/annotate/touches.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tacit::compiler {

class function_facts;

class moved_arguments {
public:
  /// Null pointers are left out.
  /// `steady`: variables of others that count as the function's own; then the arguments are evaluated earlier, past nothing that is not
  /// known, and containers of others keep their elements, too.
  moved_arguments(const std::vector<const clang::Expr*>& arguments, const function_facts& facts,
                  const std::set<const clang::VarDecl*>* steady = nullptr);

  /// Why they may not be evaluated later at all: they do something, or depend on memory and not only on variables that nobody but
  /// the function can change.
  const std::optional<obstacle>& fault() const { return fault_; }
  /// The statement changes such a variable, or declares a name that they have: from here on they mean something else.
  std::optional<obstacle> changed_by(const clang::Stmt* statement) const;

private:
  const function_facts& facts_;
  std::optional<obstacle> fault_;
  std::vector<const clang::VarDecl*> values_;     ///< variables whose values count
  std::vector<const clang::VarDecl*> containers_; ///< that are looked into
  std::vector<std::string> names_;
};

} // namespace tacit::compiler
