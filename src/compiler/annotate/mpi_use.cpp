#include "compiler/annotate/mpi_use.h"

#include "compiler/annotate/ast_visitor.h"
#include "compiler/annotate/function_facts.h"
#include "compiler/annotate/source.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <map>

namespace tacit::compiler {
namespace {

class collector : public ast_visitor {
public:
  bool shouldVisitClasses() const override { return false; }
  bool VisitCallExpr(clang::CallExpr* call) override {
    if (auto use = mpi_use_of(call))
      found.push_back(std::move(*use));
    return true;
  }
  std::vector<mpi_use> found;
};

bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Identifiers, and numbers.
std::vector<std::string_view> code_words(std::string_view code) {
  std::vector<std::string_view> made;
  for (auto at = std::find_if(code.begin(), code.end(), is_of_word); at != code.end();) {
    const auto end = std::find_if_not(at, code.end(), is_of_word);
    made.emplace_back(at, end);
    at = std::find_if(end, code.end(), is_of_word);
  }
  return made;
}

bool of_kind(group_call call, call_class kind) {
  const bool sends = kind == call_class::send || kind == call_class::isend;
  const bool receives = kind == call_class::recv || kind == call_class::irecv;
  switch (call) {
  case group_call::send:
    return sends || kind == call_class::sendrecv;
  case group_call::recv:
    return receives || kind == call_class::sendrecv;
  case group_call::sendrecv:
    return sends || receives || kind == call_class::sendrecv;
  case group_call::wait:
    return kind == call_class::complete;
  default:
    return false;
  }
}

/// An argument is written like the expression, or is its address, as requests are given to MPI_Wait.
bool written_as(const std::string& argument, const std::string& expression) {
  return same_code(argument, expression) ||
         (argument.starts_with('&') &&
          (same_code(argument, "&" + expression) || same_code(argument, "&(" + expression + ")")));
}

} // namespace

const std::vector<param_role>& mpi_use::roles() const {
  static std::map<const vocabulary::call_row*, std::vector<param_role>> known;
  const auto [found, is_new] = known.try_emplace(row);
  if (is_new)
    found->second = vocabulary::parameter_roles(*row);
  return found->second;
}

const clang::Expr* mpi_use::argument(param_role role) const {
  const std::vector<param_role>& all = roles();
  for (unsigned i = 0; i < all.size() && i < call->getNumArgs(); ++i)
    if (all[i] == role)
      return call->getArg(i);
  return nullptr;
}

bool mpi_use::is(std::initializer_list<mpi_call> calls) const {
  return std::find(calls.begin(), calls.end(), row->id) != calls.end();
}

std::optional<mpi_use> mpi_use_of(const clang::Stmt* statement) {
  const auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(statement);
  const clang::FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !callee->getIdentifier() || !callee->getName().starts_with("MPI_"))
    return std::nullopt;
  std::string_view name = callee->getName();
  const vocabulary::call_row* row = vocabulary::find_call(name);
  if (!row && name.ends_with("_c"))
    row = vocabulary::find_call(name.substr(0, name.size() - 2));
  if (!row)
    return std::nullopt;
  return mpi_use{call, row, std::string(name)};
}

std::vector<mpi_use> mpi_uses_in(const clang::Stmt* statement) {
  collector walk;
  walk.TraverseStmt(const_cast<clang::Stmt*>(statement)); // the visitor changes nothing
  return std::move(walk.found);
}

bool same_code(std::string_view one, std::string_view other) {
  const char* a = one.begin();
  const char* b = other.begin();
  while (true) {
    a = std::find_if_not(a, one.end(), is_blank);
    b = std::find_if_not(b, other.end(), is_blank);
    if (a == one.end() || b == other.end())
      return a == one.end() && b == other.end();
    if (*a++ != *b++)
      return false;
  }
}

const clang::Expr* window_argument(const mpi_use& use) {
  if (const clang::Expr* named = use.argument(param_role::window))
    return named;
  return nullptr;
}

bool is_window(const clang::Expr* argument, std::string_view listed, const clang::ASTContext& context) {
  const clang::VarDecl* variable = variable_of(argument);
  return argument && (same_code(source(context).text(argument->getSourceRange()), listed) ||
                      (variable && same_code(variable->getName(), listed)));
}

bool has_macro(std::string_view code, const clang::ASTContext& context) {
  for (const std::string_view word : code_words(code)) {
    const auto known = context.Idents.find(word);
    if (known != context.Idents.end() && known->second->hadMacroDefinition())
      return true;
  }
  return false;
}

bool names(const std::vector<communication_group>& groups, const mpi_use& use,
           const clang::ASTContext& context) {
  const source text(context);
  for (const communication_group& g : groups) {
    const bool named =
        g.call == group_call::collective
            ? use.name == g.name.text || use.name == g.name.text + "_c" // the same with large counts
            : of_kind(g.call, use.row->kind);
    if (!named)
      continue;
    if (g.expressions.empty())
      return true;
    for (const clang::Expr* argument : use.call->arguments()) {
      const std::string code = text.text(argument->getSourceRange());
      for (const written& e : g.expressions)
        if (written_as(code, e.text))
          return true;
    }
  }
  return false;
}

bool names_window(const std::vector<communication_group>& groups, std::string_view window) {
  for (const communication_group& g : groups)
    if (g.call == group_call::window &&
        (g.expressions.empty() || std::any_of(g.expressions.begin(), g.expressions.end(),
                                              [&](const written& e) { return same_code(e.text, window); })))
      return true;
  return false;
}

} // namespace tacit::compiler
