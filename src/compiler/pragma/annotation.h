// What `#pragma mpi …` says, as plain values. The language is that of Figure 2 of "Enhancing Performance Portability of MPI
// Applications Through Annotation-Based Transformations" (Haque, Yi, Dinan, Balaji); docs/annotations.md has its grammar with
// what was added. Nothing here knows of a compiler: names and expressions are text, with the place where they stand in the
// text of the pragma.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::compiler {

enum class annotation_kind : std::uint8_t {
  osc_coalesce, ///< one-sided operations of these windows may be joined
  cco,          ///< these communications may overlap with computation
  rma,          ///< one-sided operations that may become loads and stores
  local_ldst,   ///< loads and stores of a window's own memory
  indep,        ///< the statement has nothing to do with these communications
  overlap,      ///< a blocking collective that may overlap with the loop that produces its data
};

/// As it is written in pragmas.
std::string_view word_of(annotation_kind kind);

/// A name or an expression, without the blanks around it.
struct written {
  std::string text;
  std::size_t at = 0; ///< offset in the text of the pragma
};

/// "(" window "," buffer "," type "," more… ")".
struct window_buffer {
  written window, buffer, type;
  std::vector<written> more; ///< osc_spec: the MPI datatype, then a communicator, or its size and rank
};

/// Which calls a communication group names.
enum class group_call : std::uint8_t { send, recv, sendrecv, wait, window, collective };

/// MPI_Send(comm, …); without expressions it names all calls of its kind.
struct communication_group {
  group_call call = group_call::send;
  written name; ///< as it was written, for example MPI_SendRecv
  std::vector<written> expressions;
};

/// What the user says of the platform, instead of its description.
enum class coherence : std::uint8_t { as_platform, coherent, incoherent };

/// Whether, and how, something is to be done, whatever the platform's description says.
enum class wish : std::uint8_t { as_platform, never, always, puts, measured };

struct annotation {
  annotation_kind kind = annotation_kind::indep;
  std::vector<window_buffer> windows;      ///< of osc_coalesce, rma, local_ldst
  std::vector<communication_group> groups; ///< of cco, indep, overlap
  bool no_overlap = false;                 ///< different operations, or buffers, never touch the same bytes
  bool collective = false;                 ///< of osc_coalesce: all processes come to each fence together
  bool transformed = false;                ///< done already: the statement is left as it is
  coherence caches = coherence::as_platform;
  wish when = wish::as_platform;             ///< of osc_coalesce (never, always), cco (always) and overlap
  std::optional<std::uint64_t> factor;       ///< operations that are joined into one
  std::optional<std::uint64_t> memory_limit; ///< bytes that buffers of this region may take
};

} // namespace tacit::compiler
