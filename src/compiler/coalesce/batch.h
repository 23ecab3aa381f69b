// What is collected for one window, target, operation and datatype.
#pragma once

#include "compiler/coalesce/combine.h"
#include "compiler/coalesce/line_table.h"
#include "compiler/coalesce/listing.h"
#include "compiler/coalesce/numbered_table.h"

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
  element_type element; ///< of the key's type
  std::uint32_t element_bytes = 1;
  combiner combine = nullptr; ///< null: operations are listed
  numbered_table numbered;    ///< values of the first places, each at its number
  line_table lines;           ///< and those of all others
  listing list;

  /// That are collected.
  std::size_t elements() const { return numbered.elements() + lines.elements() + listed_elements_; }
  bool empty() const { return elements() == 0; }
  bool touches(const piece& p) const;
  /// Behind all places.
  MPI_Aint end() const;
  /// Collects the piece and leaves of it what was not collected: nothing; or, if there is no memory or what is collected must be
  /// sent first, the rest.
  void insert(budget& memory, piece& p);
  /// The program may add up to `most` elements without a call, until something else happens to the batch; or it may not.
  void show(budget& memory, tacit_numbered& to, std::size_t most);
  void clear();
  void release(budget& memory);

private:
  void cover(bool none, MPI_Aint from, MPI_Aint to);
  bool combine_element(budget& memory, MPI_Aint offset, const char* value);
  bool is_numbered(budget& memory, std::size_t place);

  MPI_Aint low_ = 0, high_ = 0; ///< lines, or what is listed, lie between
  std::size_t listed_elements_ = 0;
  std::size_t sent_elements_ = 0; ///< that were here
};

} // namespace tacit::compiler
