// Where an intercepted symbol leads: exported symbol → slot → wrapper → the MPI library (or the next tool).
//
// The exported symbol is a bare jump through its slot and touches no argument. A slot first holds our
// wrapper; when there is nothing to do, or the program turns out to use another MPI library than the one
// these wrappers were compiled for (whose handles have other sizes), all slots are set to the library's own
// functions and we are out of the way.
//
// The interposer is not linked to an MPI library: which one the program brought is found out at run time,
// also when it came by dlopen (Python), through the object that called us. The static archive refers to PMPI_
// directly instead.
#pragma once

#include <cstddef>

extern "C" __attribute__((visibility("hidden"))) void* tacit_interpose_slots[];

namespace tacit::interpose {

struct slot_name {
  const char* symbol; ///< what the program calls: "MPI_Send"
  const char* real;   ///< the library's entry behind it: "PMPI_Send"
};

extern const std::size_t slot_count;
extern const slot_name slot_names[];
extern void* real_functions[]; ///< filled on first use

void* resolve_next(std::size_t slot, const void* from);

/// What the wrapper of `slot`, called from address `from`, passes the call on to.
inline void* next_function(std::size_t slot, const void* from) {
  void* known = real_functions[slot];
  return known ? known : resolve_next(slot, from);
}

/// A symbol of the program's MPI library, or nullptr. `from`: an address in an object that uses it.
void* find_mpi_symbol(const char* name, const void* from);
/// Sets every slot to the library's function: from now on nothing is intercepted.
void step_aside(const void* from);

} // namespace tacit::interpose

#if defined(__x86_64__)
#define TACIT_JUMP_SYMBOL(symbol, offset)                                                                    \
  asm(".text\n.globl " symbol "\n.type " symbol ",@function\n" symbol ":\n  endbr64\n"                       \
      "  jmp *tacit_interpose_slots+" offset "(%rip)\n.size " symbol ",.-" symbol "\n")
#elif defined(__aarch64__)
#define TACIT_JUMP_SYMBOL(symbol, offset)                                                                    \
  asm(".text\n.globl " symbol "\n.type " symbol ",%function\n" symbol                                        \
      ":\n  adrp x16, tacit_interpose_slots+" offset                                                         \
      "\n  ldr x16, [x16, :lo12:tacit_interpose_slots+" offset "]\n  br x16\n.size " symbol ",.-" symbol     \
      "\n")
#else
#error "the interposer knows how to jump on x86-64 and AArch64; add this architecture here"
#endif
