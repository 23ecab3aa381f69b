#include "compiler/pass/known_functions.h"

#include <llvm/ADT/StringSet.h>

namespace tacit::compiler {

namespace {

bool is_mathematics(llvm::StringRef name) {
  static const llvm::StringSet<> known = {
      "acos", "acosh", "asin",   "asinh",     "atan",   "atan2",     "atanh", "cbrt",  "ceil",   "copysign",
      "cos",  "cosh",  "erf",    "erfc",      "exp",    "exp2",      "expm1", "fabs",  "fdim",   "floor",
      "fma",  "fmax",  "fmin",   "fmod",      "hypot",  "ldexp",     "log",   "log10", "log1p",  "log2",
      "logb", "lrint", "lround", "nearbyint", "pow",    "remainder", "rint",  "round", "scalbn", "sin",
      "sinh", "sqrt",  "tan",    "tanh",      "tgamma", "trunc"};
  if (known.contains(name) || name == "abs" || name == "labs") // no library has absf
    return true;
  return (name.ends_with("f") || name.ends_with("l")) && known.contains(name.drop_back());
}

} // namespace

bool is_pure_function(llvm::StringRef name) {
  static const llvm::StringSet<> threads = {"omp_get_thread_num", "omp_get_num_threads",
                                            "omp_get_max_threads"};
  return is_mathematics(name) || threads.contains(name) || name.starts_with("_FortranAFPow") ||
         name.starts_with("_FortranAModulo") || name.starts_with("_FortranANearest") ||
         name.starts_with("_FortranAScale") || name.starts_with("_FortranASpacing") ||
         name.starts_with("_FortranAExponent") || name.starts_with("_FortranAFraction");
}

bool is_clock(llvm::StringRef name) {
  static const llvm::StringSet<> known = {"clock", "omp_get_wtime", "gettimeofday", "clock_gettime", "time"};
  return known.contains(name);
}

bool is_argument_function(llvm::StringRef name) {
  static const llvm::StringSet<> known = {
      "malloc", "calloc",  "free",    "aligned_alloc", "posix_memalign", "memcmp",  "bcmp",   "strlen",
      "strcmp", "strncmp", "strchr",  "strrchr",       "strcpy",         "strncpy", "strcat", "frexp",
      "modf",   "sincos",  "sincosf", "_ZdlPv",        "_ZdaPv",         "_ZdlPvm", "_ZdaPvm"};
  return known.contains(name) || is_clock(name);
}

bool is_operator_new(llvm::StringRef name) {
  return name.starts_with("_Znwm") || name.starts_with("_Znam");
}

} // namespace tacit::compiler
