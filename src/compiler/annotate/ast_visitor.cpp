#include "compiler/annotate/ast_visitor.h"

#include <clang/AST/RecursiveASTVisitor.h>

namespace tacit::compiler {
namespace {

/// Calls the virtual functions.
class forwarding : public clang::RecursiveASTVisitor<forwarding> {
public:
  explicit forwarding(ast_visitor& to) : to_(to) {}
  bool shouldVisitImplicitCode() const { return to_.shouldVisitImplicitCode(); }
  bool TraverseCXXRecordDecl(clang::CXXRecordDecl* node) {
    return (!to_.shouldVisitClasses() && !node->isLambda()) ||
           RecursiveASTVisitor::TraverseCXXRecordDecl(node);
  }
  /// Clang's visitor leaves out the `get` of a structured binding, which has a variable of its own.
  bool TraverseBindingDecl(clang::BindingDecl* node) {
    clang::VarDecl* const got = shouldVisitImplicitCode() ? node->getHoldingVar() : nullptr;
    return RecursiveASTVisitor::TraverseBindingDecl(node) && (!got || TraverseDecl(got));
  }
  /// Nor how the elements of an array are made that have no value of their own in the text.
  bool VisitInitListExpr(clang::InitListExpr* node) {
    return !node->hasArrayFiller() || TraverseStmt(node->getArrayFiller());
  }
  bool VisitCXXParenListInitExpr(clang::CXXParenListInitExpr* node) {
    return !node->getArrayFiller() || TraverseStmt(node->getArrayFiller());
  }
  bool VisitStmt(clang::Stmt* node) { return to_.VisitStmt(node); }
  bool VisitNamedDecl(clang::NamedDecl* node) { return to_.VisitNamedDecl(node); }
  bool VisitVarDecl(clang::VarDecl* node) { return to_.VisitVarDecl(node); }
  bool VisitCallExpr(clang::CallExpr* node) { return to_.VisitCallExpr(node); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* node) { return to_.VisitCXXConstructExpr(node); }
  bool VisitDeclRefExpr(clang::DeclRefExpr* node) { return to_.VisitDeclRefExpr(node); }
  bool VisitLambdaExpr(clang::LambdaExpr* node) { return to_.VisitLambdaExpr(node); }
  bool VisitMemberExpr(clang::MemberExpr* node) { return to_.VisitMemberExpr(node); }
  bool VisitBinaryOperator(clang::BinaryOperator* node) { return to_.VisitBinaryOperator(node); }
  bool VisitUnaryOperator(clang::UnaryOperator* node) { return to_.VisitUnaryOperator(node); }

private:
  ast_visitor& to_;
};

} // namespace

bool ast_visitor::TraverseStmt(clang::Stmt* root) {
  return forwarding(*this).TraverseStmt(root);
}

bool ast_visitor::TraverseDecl(clang::Decl* root) {
  return forwarding(*this).TraverseDecl(root);
}

} // namespace tacit::compiler
