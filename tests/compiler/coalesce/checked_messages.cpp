// Check mode: messages that are under way. What arrives must be, byte for byte, what MPI's own calls bring, whatever the datatypes on
// both sides, and nothing may be said of a program that touches no buffer meanwhile; two threads have messages under way at once.
//
//     checked_messages random [cases [seed]]   prints the seed of the first case that differs
//     checked_messages store|load|shared       the program does what it claims not to do
#include "compiler/coalesce/accesses.h"

#include <mpi.h>
#include <tacit/coalesce.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace {

using bytes = std::vector<unsigned char>;

int me, processes;

/// Some elements of `element` in memory, as one side of a message has them.
class layout {
public:
  /// The number of elements is a multiple of 12.
  layout(std::mt19937& random, MPI_Datatype element, int elements) {
    constexpr std::array<int, 5> parts{1, 2, 3, 4, 6};
    count_ = parts[random() % parts.size()];
    const int each = elements / count_;
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    switch (random() % 4) {
    case 0:
      MPI_Type_contiguous(each, element, &inner);
      break;
    case 1: {
      const int stride = 1 + static_cast<int>(random() % 3);
      MPI_Type_vector(each, 1, random() % 2 ? stride : -stride, element, &inner);
      break;
    }
    case 2: {
      std::vector<int> places(static_cast<std::size_t>(2 * each));
      std::iota(places.begin(), places.end(), -each);
      std::shuffle(places.begin(), places.end(), random);
      MPI_Type_create_indexed_block(each, 1, places.data(), element, &inner);
      break;
    }
    default:
      MPI_Type_vector(1, each, each, element, &inner);
      break;
    }
    MPI_Aint low = 0, extent = 0;
    MPI_Type_get_true_extent(inner, &low, &extent);
    const MPI_Aint step = (extent + 7) / 8 * 8 + 8 * static_cast<MPI_Aint>(random() % 2);
    const MPI_Aint signed_step = random() % 3 ? step : -step;
    MPI_Type_create_resized(inner, low, signed_step, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&inner);
    const MPI_Aint last = (count_ - 1) * signed_step;
    low_ = low + std::min<MPI_Aint>(0, last);
    memory_.resize(static_cast<std::size_t>(extent + std::abs(last)));
    for (unsigned char& b : memory_)
      b = static_cast<unsigned char>(random());
  }
  layout(const layout&) = delete;
  layout& operator=(const layout&) = delete;
  ~layout() { MPI_Type_free(&type_); }

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }
  /// What MPI gets for a copy of `memory`.
  void* in(bytes& copy) const { return copy.data() - low_; }
  const bytes& memory() const { return memory_; }

private:
  int count_ = 1;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Aint low_ = 0; ///< of the first byte
  bytes memory_;
};

/// To the next rank, from the one before, by MPI's calls and by checked ones. `random`: the same on all ranks.
bool same_as_by_mpi(std::mt19937& random, MPI_Comm comm) {
  constexpr std::array<int, 3> elements{12, 24, 120};
  const std::array<MPI_Datatype, 4> types{MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_SHORT};
  const int to = (me + 1) % processes, from = (me + processes - 1) % processes;
  const std::size_t messages = 1 + random() % 3;
  const bool receives_first = random() % 2, at_once = random() % 2;
  std::vector<std::unique_ptr<layout>> out, in;
  for (std::size_t m = 0; m < messages; ++m) {
    const MPI_Datatype element = types[random() % types.size()];
    const int n = elements[random() % elements.size()];
    out.push_back(std::make_unique<layout>(random, element, n));
    in.push_back(std::make_unique<layout>(random, element, n));
  }
  std::vector<bytes> sent, by_mpi, checked;
  for (std::size_t m = 0; m < messages; ++m) {
    sent.push_back(out[m]->memory());
    for (unsigned char& b : sent.back())
      b = static_cast<unsigned char>(b + me);
    by_mpi.push_back(in[m]->memory());
    checked.push_back(in[m]->memory());
    MPI_Sendrecv(out[m]->in(sent[m]), out[m]->count(), out[m]->type(), to, 7, in[m]->in(by_mpi[m]),
                 in[m]->count(), in[m]->type(), from, 7, comm, MPI_STATUS_IGNORE);
  }
  std::vector<MPI_Request> requests(2 * messages, MPI_REQUEST_NULL);
  for (int round = 0; round < 2; ++round)
    for (std::size_t m = 0; m < messages; ++m)
      if ((round == 0) == receives_first)
        tacit_checked_irecv(in[m]->in(checked[m]), in[m]->count(), in[m]->type(), from, 8, comm, &requests[m],
                            "program.c", 10);
      else
        tacit_checked_isend(out[m]->in(sent[m]), out[m]->count(), out[m]->type(), to, 8, comm,
                            &requests[messages + m], "program.c", 11);
  if (at_once)
    tacit_checked_waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  else
    for (MPI_Request& r : requests)
      tacit_checked_wait(&r, MPI_STATUS_IGNORE);
  return checked == by_mpi;
}

/// True if all are the same on all ranks.
bool random_cases(int cases, unsigned first, MPI_Comm comm) {
  int all = 1;
  for (int i = 0; i < cases && all; ++i) {
    const unsigned seed = first + static_cast<unsigned>(i);
    std::mt19937 random(seed);
    const int same = same_as_by_mpi(random, comm);
    if (!same)
      std::fprintf(stderr, "rank %d: differs: checked_messages random 1 %u\n", me, seed);
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, comm);
  }
  return all;
}

void untrue(const char* what) {
  const int other = 1 - me;
  std::array<int, 8> out{}, in{};
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int* const shared = std::strcmp(what, "shared") == 0 ? in.data() + 4 : out.data();
  tacit_checked_irecv(in.data(), 8, MPI_INT, other, 0, MPI_COMM_WORLD, requests.data(), "program.c", 17);
  tacit_checked_isend(shared, 4, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[1], "program.c", 18);
  if (std::strcmp(what, "store") == 0 && me == 0)
    in[2] = 5;
  if (std::strcmp(what, "load") == 0 && me == 1)
    tacit::compiler::note_access(&in[3], sizeof in[3], false);
  tacit_checked_waitall(2, requests.data(), MPI_STATUSES_IGNORE);
}

} // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (argc > 1 && std::strcmp(argv[1], "random") != 0) {
    untrue(argv[1]);
    MPI_Finalize();
    return 0;
  }
  const int cases = argc > 2 ? std::atoi(argv[2]) : 200;
  const unsigned seed = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : std::random_device()();
  unsigned common = seed;
  MPI_Bcast(&common, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  if (me == 0)
    std::printf("checked_messages random %d %u\n", cases, common);
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  bool equal = true, equal_beside = true;
  if (provided == MPI_THREAD_MULTIPLE && cases > 1) {
    std::thread beside(
        [&] { equal_beside = random_cases(cases / 2, common + static_cast<unsigned>(cases), other); });
    equal = random_cases(cases - cases / 2, common, MPI_COMM_WORLD);
    beside.join();
  } else {
    equal = random_cases(cases, common, MPI_COMM_WORLD);
  }
  MPI_Comm_free(&other);
  MPI_Finalize();
  return equal && equal_beside ? 0 : 1;
}
