// A call that came through MPI's Fortran interface, in C's terms, and what it answered, in either direction.
//
// The library's own Fortran entry does the call, with the program's own arguments, so that its conversions
// stay in charge; here the arguments are only described: handles are numbers (MPI_X_f2c), every argument is
// an address, indices count from 1, logical values are integers, and MPI_BOTTOM, MPI_IN_PLACE and
// MPI_STATUS(ES)_IGNORE are objects whose addresses differ from library to library and between mpif.h and
// mpi_f08 (MPI-4.0, 19.3). Statuses need no conversion: INTEGER(MPI_STATUS_SIZE), TYPE(MPI_Status) and
// MPI_Status hold the same bytes in Open MPI and MPICH alike. `ierror` may be absent in mpi_f08.
//
// Choice buffers of mpi_f08ts entries come as array descriptors: the compiler's own form, as these entries
// are Fortran. MPI takes the elements of a section as if they stood one after the other, so for a message of
// whole elements a datatype is made that says where its bytes really are. Where that is not simple (a block
// per peer, a datatype with gaps) the positions are said to be unknown.
#pragma once

#include "interpose/layer/invocation.h"

#include <cstddef>

namespace tacit::interpose {

/// Which Fortran interface: the addresses of its sentinels differ.
enum class fortran_interface { mpif, f08 };

/// The C address that a choice buffer means.
const void* buffer_address(fortran_interface which, const void* argument);

/// What an argument for weights means.
topology_part::weight_list weights_at(fortran_interface which, const void* argument);

/// The C handle of the number an argument holds.
MPI_Comm comm_at(const void* argument);
MPI_Group group_at(const void* argument);
MPI_Datatype type_at(const void* argument);
MPI_Op op_at(const void* argument);
MPI_Info info_at(const void* argument);
MPI_Request request_at(const void* argument);

template <typename Integer>
Integer number_at(const void* argument) {
  return *static_cast<const Integer*>(argument);
}

/// What the wrapper keeps of one call, and where the program wants the results. The wrapper names its
/// arguments, in order; then either the library is called (with `status_argument` and `error_argument` in
/// place of the program's) and `fetch` makes its results C's, or a client answered and `store` makes C's
/// results Fortran's.
class fortran_frame {
public:
  fortran_frame(invocation& v, fortran_interface which, void* error);

  void request(void* argument);
  void request_value(const void* argument);
  void new_request(void* argument);
  void requests(void* arguments); ///< after v.request_count
  void status(void* argument);
  void statuses(void* arguments); ///< after v.request_count, where the call has one
  void flag(void* argument);
  void done_index(void* argument);
  void done_count(void* argument);
  void done_indices(void* arguments); ///< after v.request_count
  void message(void* argument);
  void new_message(void* argument);
  void new_comm(void* argument);
  void string_tag(const void* text, std::size_t length);

  void* status_argument(void* argument);
  void* error_argument() { return error_; }

  int fetch();
  int store(int result);

private:
  MPI_Status* given_statuses() const { return v_.status ? v_.status : v_.statuses; }

  invocation& v_;
  const fortran_interface which_;
  MPI_Fint* error_;
  MPI_Fint own_error_ = MPI_SUCCESS;

  MPI_Fint* request_ = nullptr; ///< one, or an array
  MPI_Fint* new_request_ = nullptr;
  void* status_ = nullptr; ///< one, or an array; null if the program ignores it
  bool has_status_ = false;
  MPI_Fint* flag_ = nullptr;
  MPI_Fint* done_index_ = nullptr;
  MPI_Fint first_index_ = 1; ///< what this entry calls the first request
  MPI_Fint* done_count_ = nullptr;
  MPI_Fint* done_indices_ = nullptr;
  MPI_Fint* message_ = nullptr;
  MPI_Fint* new_comm_ = nullptr;

  // The same in C.
  MPI_Request made_{};
  MPI_Comm comm_{};
  MPI_Message found_{};
  int flag_value_ = 0, index_value_ = 0, count_value_ = 0;
  short_list<MPI_Request, 8> request_values_;
  short_list<int, 8> index_values_;
  short_list<MPI_Status, 8> status_values_;
  short_list<MPI_Status, 8>
      own_statuses_; ///< what the library fills in if the program ignores it and a client not
  std::unique_ptr<char[]> text_;
};

/// The data of a choice buffer that came as a descriptor, while the call lasts.
class array_section {
public:
  /// Says in `part` (whose count and type are known) where the data is. `whole`: count and type are all there
  /// is to the message, and not a block per peer.
  array_section(const void* descriptor, data_part& part, bool whole);
  ~array_section();
  array_section(const array_section&) = delete;
  array_section& operator=(const array_section&) = delete;

private:
  MPI_Datatype made_{};
  bool ends_ = false;
};

} // namespace tacit::interpose
