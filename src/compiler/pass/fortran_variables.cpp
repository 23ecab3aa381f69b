#include "compiler/pass/fortran_variables.h"

#include "compiler/pass/effects.h"
#include "compiler/pass/options.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
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

/// Blocks on the way between two blocks; the two themselves only if it leads through them again.
class ways_between {
public:
  ways_between(const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
    blocks forward, backward;
    llvm::SmallVector<const llvm::BasicBlock*, 16> work(llvm::successors(&from));
    while (!work.empty()) {
      const llvm::BasicBlock* next = work.pop_back_val();
      if (next != &to && next != &from && forward.insert(next).second)
        work.append(llvm::succ_begin(next), llvm::succ_end(next));
    }
    work.assign(llvm::pred_begin(&to), llvm::pred_end(&to));
    while (!work.empty()) {
      const llvm::BasicBlock* next = work.pop_back_val();
      if (forward.contains(next) && backward.insert(next).second)
        work.append(llvm::pred_begin(next), llvm::pred_end(next));
    }
    between_ = std::move(backward);
  }

  template <class F>
  bool all(F keeps) const {
    return llvm::all_of(between_, [&](const llvm::BasicBlock* block) {
      return llvm::all_of(*block, [&](const llvm::Instruction& at) { return keeps(at); });
    });
  }

private:
  using blocks = llvm::SmallPtrSet<const llvm::BasicBlock*, 16>;
  blocks between_;
};

} // namespace

bool is_allocatable_memory(const llvm::Value* object) {
  return allocatable_of(object) != nullptr;
}

bool are_both_allocatable(const llvm::Value* one, const llvm::Value* other) {
  return allocatable_of(one) && allocatable_of(other);
}

bool keeps_its_memory(const llvm::LoadInst& base, const llvm::Instruction& from, const llvm::Instruction& to,
                      effects& effects) {
  if (!is_checked(condition::variables))
    return true;
  in_flight descriptor; // seen as data that must not be written
  descriptor.buffer = descriptor.object = const_cast<llvm::Value*>(base.getPointerOperand());
  descriptor.bytes = sizeof(void*);
  descriptor.starts_at_buffer = true;
  descriptor.tag = base.getMetadata(llvm::LLVMContext::MD_tbaa);
  const auto keeps = [&](const llvm::Instruction& at) {
    return !effects.of(const_cast<llvm::Instruction&>(at), descriptor, reach::same_iteration);
  };
  const auto keep = [&](llvm::BasicBlock::const_iterator first, llvm::BasicBlock::const_iterator last) {
    return std::all_of(first, last, keeps);
  };
  const llvm::BasicBlock &first = *from.getParent(), &last = *to.getParent();
  if (&first == &last && from.comesBefore(&to))
    return keep(std::next(from.getIterator()), to.getIterator());
  return keep(std::next(from.getIterator()), first.end()) && keep(last.begin(), to.getIterator()) &&
         ways_between(first, last).all(keeps);
}

bool changes_descriptor(const llvm::StoreInst& store, const llvm::Value* memory) {
  const llvm::GlobalVariable* descriptor = allocatable_of(memory);
  return descriptor && llvm::getUnderlyingObject(store.getPointerOperand(), 0) == descriptor;
}

void settle_variables(llvm::MutableArrayRef<in_flight> operations, const llvm::Instruction& wait,
                      effects& effects) {
  for (in_flight& operation : operations)
    if (const auto* base = dyn_cast<llvm::LoadInst>(operation.object); base && allocatable_of(base)) {
      operation.same_variable = keeps_its_memory(*base, *base, wait, effects);
      operation.tag = operation.same_variable ? variable_tag(*wait.getFunction(), base) : nullptr;
    }
}

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
