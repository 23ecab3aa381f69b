#include "compiler/pass/remark_book.h"

#include "compiler/pass/mpi_site.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>

#include <map>
#include <optional>
#include <tuple>

namespace tacit::compiler {

namespace {

constexpr const char* number_kind = "tacit.call";
constexpr unsigned copy_bits = 12; // of a number, for calls that have their site in common

/// The line of the source, however many calls LLVM has made of it before (by inlining it, or unrolling its loop).
using source_site =
    std::tuple<const llvm::MDString*, const llvm::MDString*, unsigned, unsigned, const llvm::Value*>;

std::optional<source_site> site_in_source(const llvm::CallBase& call) {
  const llvm::DILocation* where = call.getDebugLoc();
  if (!where || where->getLine() == 0)
    return std::nullopt;
  const llvm::DIFile* file = where->getFile();
  return source_site{file->getRawDirectory(), file->getRawFilename(), where->getLine(), where->getColumn(),
                     call.getCalledOperand()};
}

unsigned site_of(unsigned number) {
  return number >> copy_bits;
}

template <class F>
void each_call(llvm::Module& module, F change) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& at : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&at))
        change(*call);
}

} // namespace

void number_calls(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  const unsigned kind = context.getMDKindID(number_kind);
  auto* type = llvm::Type::getInt32Ty(context);
  std::map<source_site, unsigned> known;
  llvm::DenseMap<unsigned, unsigned> copies;
  unsigned last = 0;
  each_call(module, [&](llvm::CallBase& call) {
    if (!recognise(call))
      return;
    const auto source = site_in_source(call);
    const unsigned site = source ? known.try_emplace(*source, last + 1).first->second : last + 1;
    last = std::max(last, site);
    const unsigned copy = std::min(copies[site]++, (1U << copy_bits) - 1);
    auto* number = llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(type, site << copy_bits | copy));
    call.setMetadata(kind, llvm::MDNode::get(context, number));
  });
}

void forget_numbers(llvm::Module& module) {
  const unsigned kind = module.getContext().getMDKindID(number_kind);
  each_call(module, [&](llvm::CallBase& call) { call.setMetadata(kind, nullptr); });
}

unsigned number_of(const llvm::CallBase& call) {
  const llvm::MDNode* node = call.getMetadata(number_kind);
  return node ? static_cast<unsigned>(
                    llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0))->getZExtValue())
              : 0;
}

void remark_book::emit(llvm::function_ref<bool(const llvm::Function&)> about,
                       const call_numbers& moved_elsewhere) const {
  call_numbers moved, said; // sites
  for (const unsigned call : moved_elsewhere)
    moved.insert(site_of(call));
  const auto counts = [&](const kept_remark& one) { return one.text && about(*one.in); };
  for (const kept_remark& one : kept_)
    if (one.moved && counts(one))
      moved.insert(site_of(one.call));
  for (const kept_remark& one : kept_)
    if (const unsigned site = site_of(one.call);
        counts(one) && (site == 0 || ((one.moved || !moved.contains(site)) &&
                                      said.insert(site * 2 + (one.moved ? 1 : 0)).second)))
      one.in->getContext().diagnose(*one.text);
}

} // namespace tacit::compiler
