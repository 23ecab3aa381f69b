#include "interpose/layer/fortran.h"

#include "interpose/layer/inner_calls.h"
#include "interpose/layer/mpi_library.h"
#include "interpose/layer/slots.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>

// In MPICH's binary interface a handle is the number that Fortran has for it; these are macros there.
#if defined(OPEN_MPI)
#define HANDLE_OF(kind) TACIT_PMPI(kind##_f2c)
#define NUMBER_OF(kind) TACIT_PMPI(kind##_c2f)
#elif defined(MPI_ABI_VERSION)
#define HANDLE_OF(kind) TACIT_PMPI(kind##_fromint)
#define NUMBER_OF(kind) TACIT_PMPI(kind##_toint)
#else
#define HANDLE_OF(kind) static_cast<MPI_##kind>
#define NUMBER_OF(kind) static_cast<MPI_Fint>
using MPI_Type = MPI_Datatype;
#endif

namespace tacit::interpose {

constinit thread_local mpi_call passed_on = mpi_call::none;

static_assert(sizeof(MPI_Fint) == sizeof(int));

// Sentinels.

namespace {

struct sentinels {
  const void* bottom;
  const void* in_place;
  const void* status_ignore;
  const void* statuses_ignore;
  const void* unweighted;
  const void* weights_empty;
};

/// The address of an object of the library; an address of our own, which no argument has, if it has none.
const void* object_named(const char* name) {
  static const char nothing = 0;
  const void* found = find_mpi_symbol(name, nullptr);
  return found ? found : &nothing;
}

#ifdef OPEN_MPI

/// Common blocks, the same for all Fortran interfaces.
const sentinels& sentinels_of(fortran_interface) {
  static const sentinels found = {
      object_named("mpi_fortran_bottom_"),        object_named("mpi_fortran_in_place_"),
      object_named("mpi_fortran_status_ignore_"), object_named("mpi_fortran_statuses_ignore_"),
      object_named("mpi_fortran_unweighted_"),    object_named("mpi_fortran_weights_empty_")};
  return found;
}

#elif defined(MPI_ABI_VERSION)

/// Nobody asks: the interposer of the standard ABI wraps C (families.cpp).
const sentinels& sentinels_of(fortran_interface) {
  static const void* const none = object_named("");
  static const sentinels found = {none, none, none, none, none, none};
  return found;
}

#else

const void* pointer_named(const char* name) {
  const auto* found = static_cast<const void* const*>(find_mpi_symbol(name, nullptr));
  return found && *found ? *found : object_named("");
}

/// mpif.h: common blocks of the program, which the library learns about at the first Fortran call.
sentinels find_mpif_sentinels() {
  const auto* unknown_yet = static_cast<const int*>(find_mpi_symbol("MPIR_F_NeedInit", nullptr));
  if (unknown_yet && *unknown_yet)
    if (auto* learn = reinterpret_cast<void (*)()>(find_mpi_symbol("mpirinitf_", nullptr)))
      learn();
  return {pointer_named("MPIR_F_MPI_BOTTOM"),     pointer_named("MPIR_F_MPI_IN_PLACE"),
          pointer_named("MPI_F_STATUS_IGNORE"),   pointer_named("MPI_F_STATUSES_IGNORE"),
          pointer_named("MPIR_F_MPI_UNWEIGHTED"), pointer_named("MPIR_F_MPI_WEIGHTS_EMPTY")};
}

const sentinels& sentinels_of(fortran_interface which) {
  if (which == fortran_interface::mpif) {
    static const sentinels found = find_mpif_sentinels();
    return found;
  }
  static const sentinels found = {object_named("MPIR_F08_MPI_BOTTOM"),
                                  object_named("MPIR_F08_MPI_IN_PLACE"),
                                  object_named("MPIR_F08_MPI_STATUS_IGNORE_OBJ"),
                                  object_named("MPIR_F08_MPI_STATUSES_IGNORE_OBJ"),
                                  object_named("__mpi_f08_link_constants_MOD_mpi_unweighted"),
                                  object_named("__mpi_f08_link_constants_MOD_mpi_weights_empty")};
  return found;
}

#endif

MPI_Fint* numbers(void* argument) {
  return static_cast<MPI_Fint*>(argument);
}

} // namespace

const void* buffer_address(fortran_interface which, const void* argument) {
  const sentinels& special = sentinels_of(which);
  if (argument == special.bottom)
    return MPI_BOTTOM;
  return argument == special.in_place ? MPI_IN_PLACE : argument;
}

topology_part::weight_list weights_at(fortran_interface which, const void* argument) {
  const sentinels& special = sentinels_of(which);
  const bool unweighted = argument == special.unweighted;
  const bool nothing = unweighted || argument == special.weights_empty;
  return {nothing ? nullptr : static_cast<const int*>(argument), unweighted};
}

// Handles.

MPI_Comm comm_at(const void* argument) {
  return HANDLE_OF(Comm)(number_at<MPI_Fint>(argument));
}
MPI_Group group_at(const void* argument) {
  return HANDLE_OF(Group)(number_at<MPI_Fint>(argument));
}
MPI_Datatype type_at(const void* argument) {
  return HANDLE_OF(Type)(number_at<MPI_Fint>(argument));
}
MPI_Op op_at(const void* argument) {
  return HANDLE_OF(Op)(number_at<MPI_Fint>(argument));
}
MPI_Info info_at(const void* argument) {
  return HANDLE_OF(Info)(number_at<MPI_Fint>(argument));
}
MPI_Request request_at(const void* argument) {
  return HANDLE_OF(Request)(number_at<MPI_Fint>(argument));
}
MPI_Datatype type_list::from_fortran(MPI_Fint number) {
  return HANDLE_OF(Type)(number);
}

// Indices.

namespace {

/// The library's entry of a call in one interface.
void* entry_of(fortran_interface which, const char* lower_name) {
  const std::string name = lower_name;
  if (which == fortran_interface::mpif)
    return find_mpi_symbol(("pmpi_" + name + "_").c_str(), nullptr);
  void* const found = find_mpi_symbol(("pmpi_" + name + "_f08_").c_str(), nullptr);
  return found ? found : find_mpi_symbol(("pmpir_" + name + "_f08_").c_str(), nullptr);
}

/// What an entry says when the second of two requests completed: a receive from nobody, which completes at
/// once.
MPI_Fint first_index(fortran_interface which, mpi_call call) {
  const bool several = call == mpi_call::Waitsome || call == mpi_call::Testsome;
  MPI_Request nobody = handles().request_null;
  TACIT_PMPI(Irecv)(nullptr, 0, handles().byte, MPI_PROC_NULL, 0, handles().self, &nobody);
  MPI_Fint requests[2] = {NUMBER_OF(Request)(handles().request_null), NUMBER_OF(Request)(nobody)};
  MPI_Fint n = 2, third[2] = {0, 0}, fourth[2] = {0, 0}, error = MPI_SUCCESS;
  MPI_Status statuses[2];
  using waitany_entry = void (*)(void*, void*, void*, void*, void*);
  using other_entry = void (*)(void*, void*, void*, void*, void*, void*);
  if (call == mpi_call::Waitany) {
    if (auto* ask = reinterpret_cast<waitany_entry>(entry_of(which, "waitany")))
      ask(&n, requests, third, statuses, &error);
  } else {
    const char* const name = several ? (call == mpi_call::Waitsome ? "waitsome" : "testsome") : "testany";
    if (auto* ask = reinterpret_cast<other_entry>(entry_of(which, name)))
      ask(&n, requests, third, fourth, statuses, &error);
  }
  return (several ? fourth[0] : third[0]) - 1;
}

/// Fortran counts from 1; MPICH 4.0's mpi_f08 forgets it. So it is asked, once.
MPI_Fint known_first_index(fortran_interface which, mpi_call call) {
  static MPI_Fint known[2][4] = {{-1, -1, -1, -1}, {-1, -1, -1, -1}};
  const int of_call = call == mpi_call::Waitany    ? 0
                      : call == mpi_call::Testany  ? 1
                      : call == mpi_call::Waitsome ? 2
                                                   : 3;
  MPI_Fint& first = known[which == fortran_interface::f08][of_call];
  if (const MPI_Fint asked = __atomic_load_n(&first, __ATOMIC_RELAXED); asked >= 0)
    return asked;
  const passing_on inside(call);
  const MPI_Fint found = first_index(which, call) == 0 ? 0 : 1;
  __atomic_store_n(&first, found, __ATOMIC_RELAXED);
  return found;
}

} // namespace

// Arguments.

fortran_frame::fortran_frame(invocation& v, fortran_interface which, void* error)
    : v_(v), which_(which), error_(error ? numbers(error) : &own_error_) {
  v.fortran = true;
}

void fortran_frame::request(void* argument) {
  v_.request_count = 1;
  requests(argument);
}

void fortran_frame::request_value(const void* argument) {
  v_.request_value = request_at(argument);
  v_.requests = &v_.request_value;
  v_.request_count = 1;
}

void fortran_frame::new_request(void* argument) {
  new_request_ = numbers(argument);
  made_ = handles().request_null;
  v_.new_request = &made_;
}

void fortran_frame::requests(void* arguments) {
  request_ = numbers(arguments);
  const auto n = static_cast<std::size_t>(std::max(v_.request_count, 0));
  v_.requests = request_values_.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    v_.requests[i] = request_at(request_ + i);
}

void fortran_frame::status(void* argument) {
  has_status_ = true;
  if (argument == sentinels_of(which_).status_ignore) {
    v_.status = MPI_STATUS_IGNORE;
    return;
  }
  status_ = argument;
  v_.status = status_values_.resize(1);
}

void fortran_frame::statuses(void* arguments) {
  has_status_ = true;
  if (arguments == sentinels_of(which_).statuses_ignore) {
    v_.statuses = MPI_STATUSES_IGNORE;
    return;
  }
  status_ = arguments;
  v_.statuses = status_values_.resize(static_cast<std::size_t>(std::max(v_.request_count, 1)));
}

void fortran_frame::flag(void* argument) {
  flag_ = numbers(argument);
  v_.flag = &flag_value_;
}

void fortran_frame::done_index(void* argument) {
  done_index_ = numbers(argument);
  first_index_ = known_first_index(which_, v_.call);
  v_.done_index = &index_value_;
}

void fortran_frame::done_count(void* argument) {
  done_count_ = numbers(argument);
  v_.done_count = &count_value_;
}

void fortran_frame::done_indices(void* arguments) {
  done_indices_ = numbers(arguments);
  first_index_ = known_first_index(which_, v_.call);
  v_.done_indices = index_values_.resize(static_cast<std::size_t>(std::max(v_.request_count, 0)));
}

void fortran_frame::message(void* argument) {
  message_ = numbers(argument);
  found_ = HANDLE_OF(Message)(*message_);
  v_.message = &found_;
}

void fortran_frame::new_message(void* argument) {
  message_ = numbers(argument);
  found_ = handles().message_null;
  v_.message = &found_;
}

void fortran_frame::new_comm(void* argument) {
  new_comm_ = numbers(argument);
  comm_ = handles().comm_null;
  v_.new_comm = &comm_;
}

void fortran_frame::string_tag(const void* text, std::size_t length) {
  const char* const begin = static_cast<const char*>(text);
  while (length > 0 && begin[length - 1] == ' ')
    --length;
  text_.reset(new char[length + 1]);
  std::memcpy(text_.get(), begin, length);
  text_[length] = '\0';
  v_.string_tag = text_.get();
}

// Results.

namespace {

/// How many statuses a call has written.
std::size_t statuses_of(const invocation& v) {
  if (v.status)
    return 1;
  const int n = v.done_count ? *v.done_count : v.request_count;
  return n > 0 ? static_cast<std::size_t>(n) : 0; // MPI_UNDEFINED is negative
}

} // namespace

void* fortran_frame::status_argument(void* argument) {
  const bool wanted = v_.status ? v_.status != MPI_STATUS_IGNORE : v_.statuses != MPI_STATUSES_IGNORE;
  if (status_ || !wanted)
    return argument;
  return own_statuses_.resize(static_cast<std::size_t>(v_.status ? 1 : std::max(v_.request_count, 1)));
}

int fortran_frame::fetch() {
  const int result = *error_;
  if (request_)
    for (std::size_t i = 0; i < request_values_.size(); ++i)
      v_.requests[i] = request_at(request_ + i);
  if (new_request_ && result == MPI_SUCCESS)
    made_ = request_at(new_request_);
  if (new_comm_ && result == MPI_SUCCESS)
    comm_ = comm_at(new_comm_);
  if (message_ && (!flag_ || *flag_))
    found_ = HANDLE_OF(Message)(*message_);
  if (flag_)
    flag_value_ = *flag_ != 0;
  if (done_index_)
    index_value_ =
        *done_index_ < 0 ? MPI_UNDEFINED : *done_index_ - first_index_; // MPICH 4.0 adds 1 even to it
  if (done_count_)
    count_value_ = *done_count_;
  if (done_indices_)
    for (int i = 0; i < count_value_; ++i)
      v_.done_indices[i] = done_indices_[i] - first_index_;
  const void* const filled = status_ ? status_ : own_statuses_.size() > 0 ? own_statuses_.data() : nullptr;
  if (has_status_ && filled)
    std::memcpy(static_cast<void*>(given_statuses()), filled, statuses_of(v_) * sizeof(MPI_Status));
  return result;
}

int fortran_frame::store(int result) {
  constexpr MPI_Fint fortran_true = 1;
  if (request_)
    for (std::size_t i = 0; i < request_values_.size(); ++i)
      request_[i] = NUMBER_OF(Request)(v_.requests[i]);
  if (new_request_)
    *new_request_ = NUMBER_OF(Request)(made_);
  if (new_comm_)
    *new_comm_ = NUMBER_OF(Comm)(comm_);
  if (message_)
    *message_ = NUMBER_OF(Message)(found_);
  if (flag_)
    *flag_ = flag_value_ ? fortran_true : 0;
  if (done_index_)
    *done_index_ = index_value_ == MPI_UNDEFINED ? MPI_UNDEFINED : index_value_ + first_index_;
  if (done_count_)
    *done_count_ = count_value_;
  if (done_indices_)
    for (int i = 0; i < count_value_; ++i)
      done_indices_[i] = v_.done_indices[i] + first_index_;
  if (status_)
    std::memcpy(status_, given_statuses(), statuses_of(v_) * sizeof(MPI_Status));
  return *error_ = result;
}

} // namespace tacit::interpose
