#include "compiler/pass/fortran_variables.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Operator.h>

namespace tacit::compiler {

namespace {

using llvm::dyn_cast;
using llvm::isa;

// ISO_Fortran_binding.h of flang: the members of a descriptor, its version, and the attribute "allocatable".
constexpr unsigned version_member = 2, attribute_member = 5, members = 7;
constexpr std::uint64_t descriptor_version = 20180515, allocatable = 2;

constexpr llvm::StringRef flang_root = "Flang function root ";

bool is_allocatable(const llvm::GlobalVariable& descriptor) {
  if (!descriptor.hasDefinitiveInitializer())
    return false;
  const auto* initial = dyn_cast<llvm::ConstantStruct>(descriptor.getInitializer());
  if (!initial || initial->getNumOperands() < members)
    return false;
  const auto* version = dyn_cast<llvm::ConstantInt>(initial->getOperand(version_member));
  const auto* attribute = dyn_cast<llvm::ConstantInt>(initial->getOperand(attribute_member));
  return version && version->equalsInt(descriptor_version) && attribute && attribute->equalsInt(allocatable);
}

/// The descriptor whose base address the object is, if it is that of an allocatable.
const llvm::GlobalVariable* allocatable_of(const llvm::Value* object) {
  const auto* base = dyn_cast<llvm::LoadInst>(object);
  const auto* descriptor = base ? dyn_cast<llvm::GlobalVariable>(base->getPointerOperand()) : nullptr;
  return descriptor && is_allocatable(*descriptor) ? descriptor : nullptr;
}

bool has_fixed_address(const llvm::Value* object) {
  return isa<llvm::GlobalVariable>(object) || isa<llvm::AllocaInst>(object);
}

llvm::StringRef name_of_root(const llvm::MDNode* type) {
  while (type->getNumOperands() > 1) {
    const auto* parent = dyn_cast<llvm::MDNode>(type->getOperand(1));
    if (!parent)
      return "";
    type = parent;
  }
  const auto* name = type->getNumOperands() == 1 ? dyn_cast<llvm::MDString>(type->getOperand(0)) : nullptr;
  return name ? name->getString() : "";
}

/// Flang's name of the function before it became the name of a symbol: _QPwork and _QMmPwork for work_ and
/// _QMmPwork.
bool is_root_of(llvm::StringRef root, llvm::StringRef function) {
  if (!root.consume_front(flang_root))
    return false;
  if (root == function)
    return true;
  return root.consume_front("_QP") && function.consume_back("_") && root == function;
}

/// True for a tag of this function that names one variable.
bool names_variable(const llvm::MDNode& tag, const llvm::Function& function, llvm::StringRef kind,
                    llvm::StringRef variable) {
  const auto* type = tag.getNumOperands() > 1 ? dyn_cast<llvm::MDNode>(tag.getOperand(1)) : nullptr;
  const auto* text =
      type && type->getNumOperands() > 1 ? dyn_cast<llvm::MDString>(type->getOperand(0)) : nullptr;
  llvm::StringRef name = text ? text->getString() : "";
  return name.consume_front(kind) && !name.empty() && (variable.empty() || name == variable) &&
         is_root_of(name_of_root(type), function.getName());
}

/// Adds the tags of all loads and stores through pointers into the object.
void collect_tags(const llvm::Value* object, llvm::SmallPtrSetImpl<llvm::MDNode*>& tags) {
  llvm::SmallVector<const llvm::Value*, 16> pointers{object};
  llvm::SmallPtrSet<const llvm::Value*, 16> seen{object};
  while (!pointers.empty()) {
    const llvm::Value* pointer = pointers.pop_back_val();
    for (const llvm::User* user : pointer->users()) {
      if (isa<llvm::GEPOperator>(user) || isa<llvm::PHINode>(user)) {
        if (seen.insert(user).second)
          pointers.push_back(user);
        continue;
      }
      const auto* access = dyn_cast<llvm::Instruction>(user);
      if (access && llvm::getLoadStorePointerOperand(access) == pointer)
        tags.insert(access->getMetadata(llvm::LLVMContext::MD_tbaa));
    }
  }
}

} // namespace

bool is_fortran(const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function)
    for (const llvm::Instruction& at : block)
      if (const llvm::MDNode* tag = at.getMetadata(llvm::LLVMContext::MD_tbaa);
          tag && tag->getNumOperands() > 1)
        if (const auto* type = dyn_cast<llvm::MDNode>(tag->getOperand(1)))
          return name_of_root(type).starts_with(flang_root);
  return false;
}

bool are_different_variables(const llvm::Value* one, const llvm::Value* other) {
  const llvm::GlobalVariable* first = allocatable_of(one);
  const llvm::GlobalVariable* second = allocatable_of(other);
  if (first && second)
    return first != second;
  return (first && has_fixed_address(other)) || (second && has_fixed_address(one));
}

llvm::MDNode* variable_tag(const llvm::Function& function, const llvm::Value* object) {
  llvm::SmallPtrSet<llvm::MDNode*, 4> tags;
  llvm::StringRef kind = "dummy arg data/";
  llvm::StringRef variable;
  if (isa<llvm::Argument>(object)) {
    collect_tags(object, tags);
  } else if (const llvm::GlobalVariable* descriptor = allocatable_of(object)) {
    kind = "direct data/";
    variable = descriptor->getName();
    for (const llvm::User* user : descriptor->users())
      if (const auto* base = dyn_cast<llvm::LoadInst>(user); base && base->getFunction() == &function)
        collect_tags(base, tags);
  }
  llvm::MDNode* only = nullptr;
  for (llvm::MDNode* tag : tags) {
    if (!tag || !names_variable(*tag, function, kind, variable))
      continue;
    if (only && only != tag)
      return nullptr;
    only = tag;
  }
  return only;
}

} // namespace tacit::compiler
