#include "interpose/layer/fortran.h"

#include "interpose/layer/inner_calls.h"
#include "interpose/layer/mpi_library.h"
#include "interpose/layer/slots.h"
#include "interpose/layer/staging.h"

#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

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

// Sections of arrays.

namespace {

/// gfortran's array descriptor (libgfortran.h).
struct gfortran_descriptor {
  void* base;
  std::ptrdiff_t offset;
  std::size_t element_bytes;
  int version;
  signed char rank, type;
  short attribute;
  std::ptrdiff_t span;
  struct {
    std::ptrdiff_t stride, lower, upper; ///< stride in spans
  } dimensions[15];
};

/// The standard's CFI_cdesc_t (ISO_Fortran_binding.h), which flang uses throughout. Where rank stands is
/// alike everywhere, what follows it is not.
struct standard_descriptor {
  void* base;
  std::size_t element_bytes;
  int version;
  signed char rank;
  char other[3];
  struct {
    std::ptrdiff_t lower, extent, stride; ///< stride in bytes
  } dimensions[15];
};

/// What either says. An array of assumed size has a last extent below 1.
struct array_shape {
  void* base = nullptr;
  std::size_t element_bytes = 0;
  unsigned rank = 0;
  struct {
    std::ptrdiff_t extent, stride; ///< stride in bytes
  } dimensions[15];
};

/// Whose Fortran the library's mpi_f08 is, and so the program's, shows in how its module's procedures are
/// called.
bool is_made_by_gfortran() {
  static const bool found = find_mpi_symbol("__mpi_f08_types_MOD_mpi_comm_c2f", nullptr) != nullptr ||
                            find_mpi_symbol("__mpi_f08_types_MOD_ompi_comm_op_eq", nullptr) != nullptr;
  return found;
}

array_shape shape_of(const void* descriptor) {
  array_shape shape;
  if (is_made_by_gfortran()) {
    const auto& d = *static_cast<const gfortran_descriptor*>(descriptor);
    shape.base = d.base;
    shape.element_bytes = d.element_bytes;
    shape.rank = static_cast<unsigned>(d.rank);
    const std::ptrdiff_t span = d.span != 0 ? d.span : static_cast<std::ptrdiff_t>(d.element_bytes);
    for (unsigned i = 0; i < shape.rank; ++i)
      shape.dimensions[i] = {d.dimensions[i].upper - d.dimensions[i].lower + 1,
                             d.dimensions[i].stride * span};
    return shape;
  }
  const auto& d = *static_cast<const standard_descriptor*>(descriptor);
  shape.base = d.base;
  shape.element_bytes = d.element_bytes;
  shape.rank = static_cast<unsigned>(d.rank);
  for (unsigned i = 0; i < shape.rank; ++i)
    shape.dimensions[i] = {d.dimensions[i].extent, d.dimensions[i].stride};
  return shape;
}

bool is_contiguous(const array_shape& a) {
  auto expected = static_cast<std::ptrdiff_t>(a.element_bytes);
  for (unsigned d = 0; d < a.rank; ++d)
    if (a.dimensions[d].extent == 0)
      return true;
  for (unsigned d = 0; d < a.rank; ++d) {
    const auto& [extent, stride] = a.dimensions[d];
    if (extent != 1 && stride != expected)
      return false;
    expected *= extent;
  }
  return true;
}

/// One named type without gaps: its bytes stand one after the other.
bool is_plain(MPI_Datatype type, MPI_Count& size) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  MPI_Count lower = 0, extent = 0;
  TACIT_PMPI(Type_get_envelope)(type, &integers, &addresses, &types, &combiner);
  TACIT_PMPI(Type_size_x)(type, &size);
  TACIT_PMPI(Type_get_extent_x)(type, &lower, &extent);
  return combiner == MPI_COMBINER_NAMED && lower == 0 && extent == size;
}

struct byte_runs {
  std::vector<MPI_Aint> at; ///< from the base
  std::vector<int> lengths;
  bool complete = true;
};

constexpr std::size_t most_runs = 65536; // a megabyte of them
constexpr MPI_Count longest_run = 1 << 30;

/// Where the first `bytes` bytes of a section's elements are, in array element order.
byte_runs runs_of(const array_shape& a, MPI_Count bytes) {
  byte_runs runs;
  std::vector<std::ptrdiff_t> index(a.rank, 0);
  std::ptrdiff_t at = 0;
  while (bytes > 0) {
    const MPI_Count length = std::min<MPI_Count>(bytes, static_cast<MPI_Count>(a.element_bytes));
    if (!runs.at.empty() && runs.at.back() + runs.lengths.back() == at &&
        runs.lengths.back() + length <= longest_run) {
      runs.lengths.back() += static_cast<int>(length);
    } else {
      if (runs.at.size() == most_runs || length > longest_run)
        return runs.complete = false, runs;
      runs.at.push_back(at);
      runs.lengths.push_back(static_cast<int>(length));
    }
    bytes -= length;
    unsigned d = 0;
    for (; d < a.rank; ++d) { // count up, the first dimension fastest
      at += a.dimensions[d].stride;
      if (++index[d] < a.dimensions[d].extent)
        break;
      at -= index[d] * a.dimensions[d].stride;
      index[d] = 0;
    }
    if (d == a.rank && bytes > 0) // longer than the section: the program is wrong
      return runs.complete = false, runs;
  }
  return runs;
}

/// The descriptors behind the data that this thread's wrapper has called scattered, latest first.
struct described_section {
  const data_part* part = nullptr;
  const void* descriptor = nullptr;
};
thread_local described_section scattered_sections[2];

void note_scattered(data_part& part, const void* descriptor) {
  part.scattered = true;
  scattered_sections[1] = scattered_sections[0];
  scattered_sections[0] = {&part, descriptor};
}

} // namespace

staged_section::staged_section(const data_part& part) {
  const described_section& found = scattered_sections[scattered_sections[0].part == &part ? 0 : 1];
  const array_shape a = shape_of(found.descriptor);
  std::size_t elements = 1;
  for (unsigned d = 0; d < a.rank; ++d)
    elements *= static_cast<std::size_t>(std::max<std::ptrdiff_t>(a.dimensions[d].extent, 0));
  memory_ = std::make_unique_for_overwrite<std::byte[]>(elements * a.element_bytes);
  std::vector<std::ptrdiff_t> index(a.rank, 0);
  auto* at = static_cast<std::byte*>(a.base);
  for (std::size_t i = 0; i < elements; ++i) {
    if (!runs_.empty() && runs_.back().at + runs_.back().bytes == at)
      runs_.back().bytes += a.element_bytes;
    else
      runs_.push_back({at, a.element_bytes});
    for (unsigned d = 0; d < a.rank; ++d) { // count up, the first dimension fastest
      at += a.dimensions[d].stride;
      if (++index[d] < a.dimensions[d].extent)
        break;
      at -= index[d] * a.dimensions[d].stride;
      index[d] = 0;
    }
  }
}

staged_section::~staged_section() {
  for (batch& b : batches_)
    if (b.type != handles().datatype_null)
      TACIT_PMPI(Type_free)(&b.type);
}

void staged_section::leave_to_mpi() {
  constexpr std::size_t most = std::size_t{1} << 30; // MPI_Pack counts in int
  std::vector<int> lengths;
  std::vector<MPI_Aint> at; // from the first byte: MPICH 4.0.2 refuses to pack from MPI_BOTTOM
  std::byte* first = nullptr;
  std::size_t bytes = 0;
  const auto close = [&] {
    batch& made = batches_.emplace_back(batch{first, handles().datatype_null, static_cast<int>(bytes)});
    if (TACIT_PMPI(Type_create_hindexed)(static_cast<int>(at.size()), lengths.data(), at.data(),
                                         handles().byte, &made.type) != MPI_SUCCESS ||
        TACIT_PMPI(Type_commit)(&made.type) != MPI_SUCCESS)
      throw std::bad_alloc(); // the arguments are right
    lengths.clear();
    at.clear();
    bytes = 0;
  };
  for (run r : runs_)
    while (r.bytes > 0) {
      const std::size_t length = std::min(r.bytes, most - bytes);
      if (at.empty())
        first = r.at;
      lengths.push_back(static_cast<int>(length));
      at.push_back(reinterpret_cast<MPI_Aint>(r.at) - reinterpret_cast<MPI_Aint>(first));
      bytes += length;
      r.at += length;
      r.bytes -= length;
      if (bytes == most)
        close();
    }
  if (bytes > 0)
    close();
}

/// `copy` copies a batch: between the section and a block of memory, of which the batches take one part after
/// the other.
template <typename Copy>
void staged_section::copy_batches(Copy&& copy) const {
  std::byte* block = memory_.get();
  for (const batch& b : batches_) {
    int done = 0;
    if (copy(b, block, &done) != MPI_SUCCESS || done != b.bytes)
      throw std::runtime_error("MPI could not copy a section of a Fortran array that lies in device memory");
    block += b.bytes;
  }
}

void staged_section::gather() const {
  if (!batches_.empty())
    return copy_batches([](const batch& b, std::byte* block, int* done) {
      return TACIT_PMPI(Pack)(b.first, 1, b.type, block, b.bytes, done, handles().self);
    });
  std::byte* to = memory_.get();
  for (const run& r : runs_) {
    std::memcpy(to, r.at, r.bytes);
    to += r.bytes;
  }
}

void staged_section::scatter() const {
  if (!batches_.empty())
    return copy_batches([](const batch& b, const std::byte* block, int* done) {
      return TACIT_PMPI(Unpack)(block, b.bytes, done, b.first, 1, b.type, handles().self);
    });
  const std::byte* from = memory_.get();
  for (const run& r : runs_) {
    std::memcpy(r.at, from, r.bytes);
    from += r.bytes;
  }
}

array_section::array_section(const void* descriptor, data_part& part, bool whole) {
  const array_shape a = shape_of(descriptor);
  part.buffer = buffer_address(fortran_interface::f08, a.base);
  if (part.buffer != a.base || is_contiguous(a) || (whole && part.count <= 0))
    return;
  MPI_Count size = 0;
  if (!whole || !is_plain(part.type, size)) {
    note_scattered(part, descriptor);
    return;
  }
  byte_runs runs = runs_of(a, part.count * size);
  if (!runs.complete) {
    note_scattered(part, descriptor);
    return;
  }
  TACIT_PMPI(Type_create_hindexed)
  (static_cast<int>(runs.at.size()), runs.lengths.data(), runs.at.data(), handles().byte, &made_);
  TACIT_PMPI(Type_commit)(&made_);
  ends_ = part.type_ends = true;
  part.type = made_;
  part.count = 1;
}

array_section::~array_section() {
  if (ends_)
    TACIT_PMPI(Type_free)(&made_);
}

} // namespace tacit::interpose
