// Memory that is refused leaves no operation of MPI under way that nobody knows of: it would go on with memory that is freed. Each
// allocation fails in turn; this program counts, by MPI's profiling interface, what was started.
#include "failing_memory.h"
#include "mpi_main.h"
#include "runtime/executor/message_set.h"
#include "runtime/executor/pending_requests.h"

#include <gtest/gtest.h>

namespace {

int started = 0;

} // namespace

extern "C" {
int MPI_Isend(const void* buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++started;
  return PMPI_Isend(buf, count, type, to, tag, comm, request);
}
int MPI_Irecv(void* buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++started;
  return PMPI_Irecv(buf, count, type, from, tag, comm, request);
}
int MPI_Start(MPI_Request* request) {
  ++started;
  return PMPI_Start(request);
}
int MPI_Startall(int count, MPI_Request requests[]) {
  started += count;
  return PMPI_Startall(count, requests);
}
}

namespace tacit::runtime {
namespace {

constexpr int tag = 1;

/// Refuses each allocation of `operation` in turn until there are no more; then `other_side` lets it complete. How many were refused.
template <typename Operation, typename OtherSide>
int refuse_each(const Operation& operation, const OtherSide& other_side) {
  for (int n = 1;; ++n) {
    pending_requests requests;
    bool complete = false, refused = false;
    started = 0;
    allocation_to_fail = n;
    try {
      operation(requests, [&complete] { complete = true; });
    } catch (const std::bad_alloc&) {
      refused = true;
    }
    allocation_to_fail = 0;
    if (refused) {
      EXPECT_EQ(started, 0) << "allocation " << n;
      EXPECT_TRUE(requests.empty()) << "allocation " << n;
      if (!testing::Test::HasFailure())
        continue;
      requests.abandon();
      return n;
    }
    EXPECT_EQ(started, 1);
    other_side();
    while (!requests.empty())
      requests.test();
    EXPECT_TRUE(complete);
    return n - 1;
  }
}

class pending_requests_test : public testing::Test {
protected:
  void send_now() { PMPI_Send(&out_, 1, MPI_BYTE, 0, tag, MPI_COMM_SELF); }
  void receive_now() { PMPI_Recv(&in_, 1, MPI_BYTE, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE); }
  std::byte out_{7}, in_{0};
};

TEST_F(pending_requests_test, where_memory_is_refused_no_receive_is_started) {
  const int refused = refuse_each(
      [this](pending_requests& with, const std::function<void()>& done) {
        receive_bytes_from(with, &in_, 1, 0, tag, MPI_COMM_SELF, done);
      },
      [this] { send_now(); });
  EXPECT_GT(refused, 1);
  EXPECT_EQ(in_, out_);
}

TEST_F(pending_requests_test, where_memory_is_refused_no_send_is_started) {
  const int refused = refuse_each(
      [this](pending_requests& with, const std::function<void()>& done) {
        send_bytes_to(with, &out_, 1, 0, tag, MPI_COMM_SELF, done);
      },
      [this] { receive_now(); });
  EXPECT_GT(refused, 1);
  EXPECT_EQ(in_, out_);
}

TEST_F(pending_requests_test, where_memory_is_refused_no_persistent_receive_is_started) {
  message_set messages({}, {{0, 1, &in_}});
  messages.prepare(MPI_COMM_SELF, tag);
  const int refused = refuse_each(
      [&](pending_requests& with, const std::function<void()>& done) {
        messages.start_receives(with, MPI_COMM_SELF, tag, [done](std::size_t) { done(); });
      },
      [this] { send_now(); });
  EXPECT_GT(refused, 1);
  EXPECT_EQ(in_, out_);
}

} // namespace
} // namespace tacit::runtime

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
