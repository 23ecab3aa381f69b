// Buffers in device memory are MPI's alone. The device is a library (fake_device.c) that says of some memory
// of this process that it is the device's, and is loaded as programs load theirs: late, and privately. What
// our code reads or writes by itself shows: the memory is protected while no call of MPI is on the stack.
#include "closed_memory.h"
#include "mpi_main.h"

#include "runtime/mpi/memory_kind.h"

#include <tacit/tacit.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <sys/mman.h>
#include <vector>

namespace {

constexpr std::size_t room = 1 << 16;
std::byte* device = nullptr;

using at_work = tacit::test::at_work_on<device, room>;

} // namespace

extern "C" {
int MPI_Isend(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* r) {
  const at_work now;
  return PMPI_Isend(b, n, t, to, tag, c, r);
}
int MPI_Irecv(void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request* r) {
  const at_work now;
  return PMPI_Irecv(b, n, t, from, tag, c, r);
}
int MPI_Sendrecv(const void* b, int n, MPI_Datatype t, int to, int tag, void* b2, int n2, MPI_Datatype t2,
                 int from, int tag2, MPI_Comm c, MPI_Status* s) {
  const at_work now;
  return PMPI_Sendrecv(b, n, t, to, tag, b2, n2, t2, from, tag2, c, s);
}
int MPI_Start(MPI_Request* r) {
  const at_work now;
  return PMPI_Start(r);
}
int MPI_Testall(int n, MPI_Request* r, int* f, MPI_Status* s) {
  const at_work now;
  return PMPI_Testall(n, r, f, s);
}
int MPI_Waitall(int n, MPI_Request* r, MPI_Status* s) {
  const at_work now;
  return PMPI_Waitall(n, r, s);
}
int MPI_Testsome(int n, MPI_Request* r, int* m, int* w, MPI_Status* s) {
  const at_work now;
  return PMPI_Testsome(n, r, m, w, s);
}
int MPI_Waitsome(int n, MPI_Request* r, int* m, int* w, MPI_Status* s) {
  const at_work now;
  return PMPI_Waitsome(n, r, m, w, s);
}
int MPI_Allreduce(const void* out, void* in, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {
  const at_work now; // messages of others make progress in any call
  return PMPI_Allreduce(out, in, n, t, op, c);
}
int MPI_Iallreduce(const void* out, void* in, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request* r) {
  const at_work now;
  return PMPI_Iallreduce(out, in, n, t, op, c, r);
}
}

namespace {

using tacit::runtime::has_device_library;
using tacit::runtime::in_device_memory;

/// Loads the device, and gives it some memory.
void load_device() {
  if (device)
    return;
  void* const library = dlopen(TACIT_FAKE_DEVICE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  auto* const memory = static_cast<std::byte*>(
      mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  reinterpret_cast<void (*)(void*, std::size_t)>(dlsym(library, "fake_device_memory"))(memory, room);
  mprotect(memory, room, PROT_NONE);
  device = memory;
}

template <typename Value>
void on_device(std::size_t at, const std::vector<Value>& values) {
  const at_work copy;
  std::memcpy(device + at, values.data(), values.size() * sizeof(Value));
}

std::vector<int> from_device(std::size_t at, std::size_t n) {
  const at_work copy;
  std::vector<int> out(n);
  std::memcpy(out.data(), device + at, n * sizeof(int));
  return out;
}

class device_memory : public testing::Test {
protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
  }
  int rank = 0, size = 1, right = 0, left = 0;
};

TEST_F(device_memory, is_found_when_its_library_is_loaded) {
  int here = 0;
  EXPECT_FALSE(has_device_library());
  EXPECT_FALSE(in_device_memory(&here));
  load_device();
  EXPECT_TRUE(has_device_library());
  EXPECT_FALSE(in_device_memory(&here));
  EXPECT_TRUE(in_device_memory(device));
  EXPECT_TRUE(in_device_memory(device + room - 1));
  EXPECT_FALSE(in_device_memory(device + room));
  EXPECT_FALSE(in_device_memory(nullptr));
  const auto address = [](const void* p) { return reinterpret_cast<std::uint64_t>(p); };
  std::vector<tacit::graphs::segment> pieces{{address(&here), 4}, {address(device), 4}};
  EXPECT_TRUE(in_device_memory(pieces));
  pieces.back().length = 0;
  EXPECT_FALSE(in_device_memory(pieces));
}

/// Pieces, which are packed elsewhere, and a local copy.
TEST_F(device_memory, schedules_leave_it_to_mpi) {
  load_device();
  MPI_Datatype pieces = MPI_DATATYPE_NULL;
  MPI_Type_vector(4, 1, 2, MPI_INT, &pieces);
  MPI_Type_commit(&pieces);
  on_device<int>(0, {10 * rank, -1, 10 * rank + 1, -1, 10 * rank + 2, -1, 10 * rank + 3});
  on_device<int>(4096, std::vector<int>(8, -7));
  on_device<int>(8192, std::vector<int>(8, -7));
  tacit_graph g = TACIT_GRAPH_NULL;
  tacit_graph_create(MPI_COMM_WORLD, &g);
  tacit_graph_send(g, device, 1, pieces, right, 0, nullptr);
  tacit_graph_recv(g, device + 4096, 1, pieces, left, 0, nullptr);
  tacit_graph_copy(g, device, 1, pieces, device + 8192, 1, pieces, nullptr);
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  ASSERT_EQ(tacit_compile(g, MPI_INFO_NULL, &s), TACIT_SUCCESS) << tacit_last_error();
  std::array<char, 4096> text{};
  tacit_explain(s, TACIT_EXPLAIN_TEXT, text.data(), text.size(), nullptr);
  EXPECT_NE(std::string(text.data()).find("TACIT-051"), std::string::npos) << text.data();
  for (int run = 0; run < 3; ++run)
    EXPECT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
  EXPECT_EQ(from_device(4096, 7),
            (std::vector<int>{10 * left, -7, 10 * left + 1, -7, 10 * left + 2, -7, 10 * left + 3}));
  EXPECT_EQ(from_device(8192, 7),
            (std::vector<int>{10 * rank, -7, 10 * rank + 1, -7, 10 * rank + 2, -7, 10 * rank + 3}));
  tacit_schedule_free(&s);
  tacit_graph_free(&g);
  MPI_Type_free(&pieces);
}

/// What a driver that copies is asked to do by name, it declines, with the reason.
TEST_F(device_memory, drivers_that_copy_decline) {
  load_device();
  for (const char* driver : {"shm", "coll", "rma"}) {
    tacit_graph g = TACIT_GRAPH_NULL;
    tacit_graph_create(MPI_COMM_WORLD, &g);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    tacit_graph_send(g, device, 4, MPI_INT, right, 0, nullptr);
    tacit_graph_recv(g, device + 4096, 4, MPI_INT, left, 0, nullptr);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tacit_driver", driver);
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    EXPECT_EQ(tacit_compile(g, info, &s), TACIT_ERR_ENVIRONMENT);
    EXPECT_NE(std::string(tacit_last_error()).find("TACIT-051"), std::string::npos) << tacit_last_error();
    MPI_Info_free(&info);
    tacit_graph_free(&g);
  }
}

class device_neighbors : public device_memory {
protected:
  void SetUp() override {
    device_memory::SetUp();
    load_device();
    const int dims[] = {size}, periods[] = {1};
    tacit_topology t = TACIT_TOPOLOGY_NULL;
    tacit_topology_cart(1, dims, periods, &t);
    ASSERT_EQ(tacit_topology_comm(t, MPI_COMM_WORLD, &ring), TACIT_SUCCESS);
    tacit_topology_free(&t);
  }
  void TearDown() override { MPI_Comm_free(&ring); }
  /// The same call on both kinds of memory in turn, with one signature.
  template <typename Call>
  void expect_right(Call&& call) {
    for (int round = 0; round < 4; ++round) {
      std::vector<int> sent{100 * rank + round, 100 * rank + 50 + round}, received(2, -1);
      const bool on = (round + (rank == 0 ? 1 : 0)) % 2 == 0; // ranks differ
      on_device(0, sent);
      on_device(4096, received);
      void* const out = on ? static_cast<void*>(device) : sent.data();
      void* const in = on ? static_cast<void*>(device + 4096) : received.data();
      call(out, in);
      if (on)
        received = from_device(4096, 2);
      EXPECT_EQ(received, (std::vector<int>{100 * left + 50 + round, 100 * right + round})) << round;
    }
  }
  MPI_Comm ring = MPI_COMM_NULL;
};

TEST_F(device_neighbors, blocking_calls) {
  expect_right([&](const void* out, void* in) {
    EXPECT_EQ(tacit_neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring), TACIT_SUCCESS)
        << tacit_last_error();
  });
}

TEST_F(device_neighbors, persistent_calls) {
  expect_right([&](const void* out, void* in) {
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    ASSERT_EQ(tacit_neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, ring, MPI_INFO_NULL, &s),
              TACIT_SUCCESS)
        << tacit_last_error();
    EXPECT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
    tacit_schedule_free(&s);
  });
}

} // namespace

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
