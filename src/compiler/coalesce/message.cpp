// Offsets of the blocks count from the last displacement at or below the first block, so that they are small and the library can
// check the range of the access. A single block needs no datatype. Datatypes are freed as soon as MPI has the call: MPI keeps
// what pending operations need.
//
// What libraries do wrong is not asked of them. Through a datatype of the target Open MPI 4.1.4 (osc/rdma) leaves the results of
// get_accumulate as they were if elements are integers, and MPICH 4.0.2 ends with a failed assertion if they are not: each run of
// neighbors is a call of its own there, of elements of their own type. Of several pairs with gaps (MPI_DOUBLE_INT) without a datatype
// Open MPI's osc/rdma takes the bytes of gaps for values: these have one.
#include "compiler/coalesce/message.h"

#include "compiler/coalesce/datatypes.h"

#include <climits>

namespace tacit::compiler {
namespace {

/// A datatype that lasts as long as the call.
class passing_type {
public:
  /// None for no blocks.
  passing_type(int count, const int* elements, const MPI_Aint* places, MPI_Datatype element) {
    if (count != 0)
      error_ = MPI_Type_create_hindexed(count, elements, places, element, &type_);
    if (type_ != MPI_DATATYPE_NULL)
      error_ = MPI_Type_commit(&type_);
  }
  ~passing_type() {
    if (type_ != MPI_DATATYPE_NULL)
      MPI_Type_free(&type_);
  }
  passing_type(const passing_type&) = delete;
  passing_type& operator=(const passing_type&) = delete;
  MPI_Datatype get() const { return type_; }
  int error() const { return error_; }

private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  int error_ = MPI_SUCCESS;
};

} // namespace

void message::blocks::add(MPI_Aint place, int more, std::uint32_t element_bytes) {
  if (end_at(place, element_bytes)) {
    elements[count - 1] += more;
    return;
  }
  elements[count] = more;
  places[count++] = place;
}

bool message::blocks::end_at(MPI_Aint place, std::uint32_t element_bytes) const {
  return count != 0 &&
         places[count - 1] + static_cast<MPI_Aint>(elements[count - 1]) * element_bytes == place;
}

bool message::is_solid() const {
  return element_of(key_.type).solid;
}

bool message::takes(MPI_Aint offset, MPI_Aint result) const {
  if (key_.what != operation::get_accumulate)
    return places_.count != most_blocks && results_.count != most_blocks;
  return places_.end_at(offset, element_bytes_) && results_.end_at(result, element_bytes_) && is_solid();
}

void message::add(MPI_Aint offset, std::uint32_t bytes, const char* data, char* result) {
  const int more = static_cast<int>(bytes / element_bytes_);
  MPI_Aint address = 0;
  if (result)
    MPI_Get_address(result, &address);
  if (elements_ > INT_MAX - more || !takes(offset, address))
    send();
  if (elements_ == 0) {
    data_ = data;
    first_result_ = result;
  }
  places_.add(offset, more, element_bytes_);
  if (result)
    results_.add(address, more, element_bytes_);
  elements_ += more;
}

int message::call_mpi(const void* results, int result_count, MPI_Datatype result_type, MPI_Aint disp,
                      int target_count, MPI_Datatype target_type) {
  const int target = to_.target;
  const MPI_Win win = to_.win;
  void* const into = const_cast<void*>(results);
  switch (key_.what) {
  case operation::put:
    return MPI_Put(data_, elements_, key_.type, target, disp, target_count, target_type, win);
  case operation::get:
    return MPI_Get(into, result_count, result_type, target, disp, target_count, target_type, win);
  case operation::accumulate:
    return MPI_Accumulate(data_, elements_, key_.type, target, disp, target_count, target_type, key_.op, win);
  case operation::get_accumulate:
    // Without data (MPI_NO_OP) MPI ignores the origin's arguments, but Open MPI 4.1 looks at the count.
    return MPI_Get_accumulate(data_, data_ ? elements_ : 0, key_.type, into, result_count, result_type,
                              target, disp, target_count, target_type, key_.op, win);
  }
  return MPI_ERR_INTERN;
}

int message::call() {
  const MPI_Aint disp = places_.places[0] / to_.unit;
  for (int i = 0; i < places_.count; ++i)
    places_.places[i] -= disp * to_.unit;
  const bool one_place = places_.count == 1 && places_.places[0] == 0 &&
                         (elements_ == 1 || key_.what != operation::accumulate || is_solid());
  const bool one_result = results_.count == 1;
  const passing_type places(one_place ? 0 : places_.count, places_.elements, places_.places, key_.type);
  const passing_type results(one_result ? 0 : results_.count, results_.elements, results_.places, key_.type);
  if (places.error() != MPI_SUCCESS || results.error() != MPI_SUCCESS)
    return places.error() != MPI_SUCCESS ? places.error() : results.error();
  const int target_count = one_place ? places_.elements[0] : 1;
  const MPI_Datatype target_type = one_place ? key_.type : places.get();
  if (results_.count == 0)
    return call_mpi(nullptr, 0, key_.type, disp, target_count, target_type);
  if (one_result)
    return call_mpi(first_result_, results_.elements[0], key_.type, disp, target_count, target_type);
  return call_mpi(MPI_BOTTOM, 1, results.get(), disp, target_count, target_type);
}

int message::send() {
  if (elements_ != 0) {
    if (const int error = call(); error_ == MPI_SUCCESS)
      error_ = error;
    places_.count = results_.count = elements_ = 0;
  }
  return error_;
}

} // namespace tacit::compiler
