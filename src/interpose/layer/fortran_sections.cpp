// Sections of arrays, which come as the compiler's array descriptors.
#include "interpose/layer/fortran.h"
#include "interpose/layer/mpi_library.h"
#include "interpose/layer/slots.h"
#include "interpose/layer/staging.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

namespace tacit::interpose {

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
    shape.rank = static_cast<unsigned char>(d.rank);
    const std::ptrdiff_t span = d.span != 0 ? d.span : static_cast<std::ptrdiff_t>(d.element_bytes);
    for (unsigned i = 0; i < shape.rank; ++i)
      shape.dimensions[i] = {d.dimensions[i].upper - d.dimensions[i].lower + 1,
                             d.dimensions[i].stride * span};
    return shape;
  }
  const auto& d = *static_cast<const standard_descriptor*>(descriptor);
  shape.base = d.base;
  shape.element_bytes = d.element_bytes;
  shape.rank = static_cast<unsigned char>(d.rank);
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
