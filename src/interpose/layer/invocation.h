// One MPI call as the clients see it: what the parameters mean, whatever family of symbols it came through.
//
// A wrapper fills in what its call has; everything else keeps the value "absent". Pointers are the program's
// own. Clients may replace `status` and `statuses` before the call (by storage of theirs, when the program
// ignores them).
#pragma once

#include "vocabulary/calls/mpi_calls.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <new>

#ifdef MPI_ABI_VERSION // leaves Fortran to libraries of its own
using MPI_Fint = int;
#endif

namespace tacit::interpose {

/// An array of counts or displacements of the program, whatever integers it holds.
class number_list {
public:
  number_list() = default;
  number_list(const int* list) : list_(list) {}
  number_list(const long* list) : list_(list), wide_(true) {}
  number_list(const long long* list) : list_(list), wide_(true) {}
  explicit operator bool() const { return list_ != nullptr; }
  MPI_Count operator[](std::size_t i) const {
    return wide_ ? static_cast<const std::int64_t*>(list_)[i] : static_cast<const int*>(list_)[i];
  }

private:
  static_assert(sizeof(long) == 8 && sizeof(long long) == 8);
  const void* list_ = nullptr;
  bool wide_ = false;
};

/// An array of datatypes of the program: handles, or Fortran's numbers for them.
class type_list {
public:
  type_list() = default;
  type_list(const MPI_Datatype* list) : list_(list) {}
  static type_list of_fortran(const void* list) {
    type_list made;
    made.numbers_ = static_cast<const MPI_Fint*>(list);
    return made;
  }
  explicit operator bool() const { return list_ || numbers_; }
  MPI_Datatype operator[](std::size_t i) const { return list_ ? list_[i] : from_fortran(numbers_[i]); }

private:
  static MPI_Datatype from_fortran(MPI_Fint number);
  const MPI_Datatype* list_ = nullptr;
  const MPI_Fint* numbers_ = nullptr;
};

/// Data a call sends or receives.
struct data_part {
  const void* buffer = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type{};
  number_list counts;     ///< v- and w-collectives: one per peer, instead of count
  number_list displs;     ///< in elements (v) or bytes (w)
  type_list types;        ///< w-collectives
  bool scattered = false; ///< a section of a Fortran array: where its elements lie is not known
  bool type_ends = false; ///< `type` was made for this call and ends with it
};

/// What a constructor of a communicator with a topology was told. Logical values are integers, not zero for
/// true.
struct topology_part {
  /// Weights of edges: a list, or none at all, or the empty list that MPI has a name for.
  struct weight_list {
    const int* list = nullptr; ///< null: MPI_UNWEIGHTED or MPI_WEIGHTS_EMPTY
    bool unweighted = false;
  };
  int ndims = 0;
  const int* dims = nullptr;
  const int* periods = nullptr;
  const int* remain_dims = nullptr;
  int reorder = 0;
  int node_count = 0;
  const int* graph_index = nullptr;
  const int* graph_edges = nullptr;
  const int* degrees = nullptr;
  int in_degree = 0;
  const int* sources = nullptr;
  weight_list source_weights;
  int out_degree = 0;
  const int* destinations = nullptr;
  weight_list dest_weights;
  weight_list weights;
};

/// A list that lives inside the invocation while it is short.
template <typename T, std::size_t N>
class short_list {
public:
  short_list() = default;
  short_list(const short_list&) = delete;
  short_list& operator=(const short_list&) = delete;
  /// Makes room for `n` elements, whose values are undefined.
  T* resize(std::size_t n) {
    if (n > N)
      heap_.reset(new T[n]);
    size_ = n;
    return data();
  }
  T* data() { return heap_ ? heap_.get() : here_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data()[i]; }

private:
  std::size_t size_ = 0;
  std::unique_ptr<T[]> heap_;
  T here_[N];
};

/// Room for what a client keeps between before and after: made when it first asks, gone with the invocation.
/// For one client of a process.
class client_notes {
public:
  client_notes() = default;
  client_notes(const client_notes&) = delete;
  client_notes& operator=(const client_notes&) = delete;
  ~client_notes() {
    if (destroy_)
      destroy_(room_);
  }
  template <typename Notes>
  Notes& make() {
    static_assert(sizeof(Notes) <= sizeof room_ && alignof(Notes) <= alignof(std::max_align_t));
    destroy_ = [](void* notes) { static_cast<Notes*>(notes)->~Notes(); };
    return *new (room_) Notes;
  }
  bool made() const { return destroy_ != nullptr; }
  template <typename Notes>
  Notes& get() {
    return *std::launder(reinterpret_cast<Notes*>(room_));
  }
  template <typename Notes>
  const Notes& get() const {
    return *std::launder(reinterpret_cast<const Notes*>(room_));
  }

private:
  void (*destroy_)(void*) = nullptr;
  alignas(std::max_align_t) std::byte room_[640];
};

inline constexpr int no_peer = -0x7fff0001; ///< no MPI library uses this number for a rank

struct invocation {
  invocation(mpi_call which, call_class what, const void* caller) : call(which), kind(what), from(caller) {}

  mpi_call call;
  call_class kind;
  bool fortran = false; ///< results that pointers lead to vanish when the call returns
  const void* from;     ///< return address

  data_part send;
  data_part recv; ///< same as `send` for calls with one buffer and one (count, datatype)
  int dest = no_peer;
  int source = no_peer;
  int root = no_peer;
  int send_tag = 0;
  int recv_tag = 0;
  MPI_Comm comm{};
  MPI_Group group{};
  MPI_Op op{};
  MPI_Info info{};
  MPI_Comm* new_comm = nullptr;
  const topology_part* topology = nullptr; ///< null: no such call
  MPI_Datatype type_freed{};
  const char* string_tag = nullptr;

  MPI_Request* new_request = nullptr;
  MPI_Request* requests = nullptr;
  int request_count = 0;
  MPI_Request request_value{};
  MPI_Status* status = nullptr;
  MPI_Status* statuses = nullptr;
  int* flag = nullptr;
  int* done_index = nullptr;
  int* done_count = nullptr;
  int* done_indices = nullptr;
  MPI_Message* message = nullptr;

  std::uint64_t begin = 0;     ///< tick when the library was called, and
  std::uint64_t end = 0;       ///< when it returned, as far as somebody wanted to know
  bool status_ignored = false; ///< by the program; `status` and `statuses` are not its own
  client_notes notes;
};

} // namespace tacit::interpose
