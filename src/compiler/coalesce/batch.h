// What is collected for one window, target, operation and datatype.
#pragma once

#include "compiler/coalesce/combine.h"
#include "compiler/coalesce/line_table.h"
#include "compiler/coalesce/listing.h"

#include <mpi.h>

namespace tacit::compiler {

enum class operation : std::uint8_t { put, get, accumulate, get_accumulate };

/// Puts and gets move bytes (MPI_BYTE), whatever their type; the others have an operator and a predefined datatype.
struct batch_key {
  operation what;
  MPI_Op op;
  MPI_Datatype type;
  friend bool operator==(const batch_key& a, const batch_key& b) {
    return a.what == b.what && a.op == b.op && a.type == b.type;
  }
};

/// An operation of the program, or what is left of it.
struct piece {
  MPI_Aint offset; ///< in the target's window memory, bytes
  std::uint32_t bytes;
  const char* data; ///< null: nothing is sent
  char* result;     ///< null: nothing comes back

  MPI_Aint end() const { return offset + static_cast<MPI_Aint>(bytes); }
};

struct batch {
  batch* next = nullptr;
  batch_key key{};
  std::uint32_t element_bytes = 1;
  combiner combine = nullptr; ///< null: operations are listed
  MPI_Aint low = 0, high = 0; ///< all places collected lie between
  std::size_t elements = 0;   ///< that are collected
  line_table lines;
  listing list;

  bool empty() const { return elements == 0; }
  bool touches(const piece& p) const { return elements != 0 && p.offset < high && low < p.end(); }
  /// Collects the piece and leaves of it what was not collected: nothing; or, if there is no memory or what is collected must be
  /// sent first, the rest.
  void insert(budget& memory, piece& p);
  void clear();
  void release(budget& memory);

private:
  void cover(MPI_Aint from, MPI_Aint to);
  void combine_elements(budget& memory, piece& p);
};

} // namespace tacit::compiler
