// Where an intercepted symbol leads: exported symbol → the MPI library (or the next tool) if nobody wants the
// call, else → slot → wrapper → the MPI library.
//
// The exported symbol is a test (interests.h) and a jump, and touches no argument. A slot first holds our
// wrapper, and so does the direct way, until the wrapper has found the library's function at the first call.
// When there is nothing to do, or the program turns out to use another MPI library than the one these
// wrappers were compiled for (whose handles have other sizes), all of them are set to the library's own
// functions and we are out of the way.
//
// The interposer is not linked to an MPI library: which one the program brought is found out at run time,
// also when it came by dlopen (Python), through the object that called us. The static archive refers to PMPI_
// directly instead.
#pragma once

#include <cstddef>
#include <span>

namespace tacit::interpose {

struct slot_name {
  const char* symbol;     ///< what the program calls: "MPI_Send"
  const char* real;       ///< the library's entry behind it: "PMPI_Send"
  const char* other_real; ///< how another library calls that entry, or null
};

/// The symbols of one language and kind of argument, generated into one file. Entry i of all arrays belongs
/// together.
struct slot_family {
  std::size_t count;
  const slot_name* names;
  void** slots;
  void** direct; ///< where calls go that nobody wants
  void** real;   ///< filled on first use
};

/// Every family in this interposer.
std::span<const slot_family* const> slot_families();

void* resolve_next(const slot_family& family, std::size_t slot, const void* from);

/// What the wrapper of `slot`, called from address `from`, passes the call on to. Several threads may look for a function
/// that none has called before: all find the same.
[[gnu::always_inline]] inline void* next_function(const slot_family& family, std::size_t slot,
                                                  const void* from) {
  void* const known = __atomic_load_n(&family.real[slot], __ATOMIC_RELAXED);
  return known ? known : resolve_next(family, slot, from);
}

/// A symbol of the program's MPI library, or nullptr. `from`: an address in an object that uses it.
void* find_mpi_symbol(const char* name, const void* from);
/// Sets every slot to the library's function: from now on nothing is intercepted.
void step_aside(const void* from);

} // namespace tacit::interpose

// The registers are those that belong to nobody when a function begins.
#if defined(__x86_64__)
#define TACIT_JUMP_SYMBOL(symbol, family, offset, call)                                                      \
  asm(".text\n.globl " symbol "\n.type " symbol ",@function\n" symbol ":\n  endbr64\n"                       \
      "  movzbl tacit_interests(%rip), %r11d\n"                                                              \
      "  testb %r11b, tacit_interests+1+" call "(%rip)\n"                                                    \
      "  jne 1f\n  jmp *" family "_direct+" offset "(%rip)\n"                                                \
      "1:\n  jmp *" family "_slots+" offset "(%rip)\n.size " symbol ",.-" symbol "\n")
#elif defined(__aarch64__)
#define TACIT_JUMP_THROUGH(entry) "  adrp x16, " entry "\n  ldr x16, [x16, :lo12:" entry "]\n  br x16\n"
#define TACIT_JUMP_SYMBOL(symbol, family, offset, call)                                                      \
  asm(".text\n.globl " symbol "\n.type " symbol ",%function\n" symbol ":\n"                                  \
      "  adrp x16, tacit_interests\n  ldrb w16, [x16, :lo12:tacit_interests]\n"                              \
      "  adrp x17, tacit_interests+1+" call "\n"                                                             \
      "  ldrb w17, [x17, :lo12:tacit_interests+1+" call "]\n"                                                \
      "  tst w16, w17\n  b.ne 1f\n" TACIT_JUMP_THROUGH(family "_direct+" offset) "1:\n" TACIT_JUMP_THROUGH(  \
          family "_slots+" offset) ".size " symbol ",.-" symbol "\n")
#else
#error "the interposer knows how to jump on x86-64 and AArch64; add this architecture here"
#endif
