// One walk through Clang's tree for all who look for something in it.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

namespace tacit::compiler {

/// clang::RecursiveASTVisitor with virtual functions: it is made of hundreds of functions for each class that derives from it,
/// which are most of what compiling such a class costs. Clang 20 has the same as DynamicRecursiveASTVisitor. Visit… end the walk
/// by false, and have the meaning of the visitor's; what is not here yet is a line in both files.
class ast_visitor {
public:
  virtual ~ast_visitor() = default;

  /// False where the walk was ended.
  bool TraverseStmt(clang::Stmt* root);
  bool TraverseDecl(clang::Decl* root);

  virtual bool shouldVisitImplicitCode() const { return false; }
  /// Functions of a class that a statement declares run where they are called, and not where they stand.
  virtual bool shouldVisitClasses() const { return true; }
  virtual bool VisitStmt(clang::Stmt* /*node*/) { return true; }
  virtual bool VisitNamedDecl(clang::NamedDecl* /*node*/) { return true; }
  virtual bool VisitVarDecl(clang::VarDecl* /*node*/) { return true; }
  virtual bool VisitCallExpr(clang::CallExpr* /*node*/) { return true; }
  virtual bool VisitCXXConstructExpr(clang::CXXConstructExpr* /*node*/) { return true; }
  virtual bool VisitDeclRefExpr(clang::DeclRefExpr* /*node*/) { return true; }
  virtual bool VisitLambdaExpr(clang::LambdaExpr* /*node*/) { return true; }
  virtual bool VisitMemberExpr(clang::MemberExpr* /*node*/) { return true; }
  virtual bool VisitBinaryOperator(clang::BinaryOperator* /*node*/) { return true; }
  virtual bool VisitUnaryOperator(clang::UnaryOperator* /*node*/) { return true; }
};

} // namespace tacit::compiler
