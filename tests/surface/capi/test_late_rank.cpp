// Messages of 4 MiB, which no library takes over before they are received, in orders in which ranks wait for each other, and one rank comes
// late: every plan that is compared completes by each driver, whichever rank it is, and moves the right bytes (rule E5 of SEMANTICS).
// Whoever waits for ever is told by the alarm, with what ran.
#include "mpi_main.h"

#include <nlohmann/json.hpp>
#include <tacit/tacit.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t block = (std::size_t{4} << 20) / sizeof(int);

int rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}
int size() {
  int s = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &s);
  return s;
}

char running[256]; ///< for the alarm

void tell_and_end(int) {
  const ssize_t unused = write(STDERR_FILENO, running, sizeof running);
  static_cast<void>(unused);
  _exit(1);
}

/// A block for each rank to send, and one for each to receive into.
struct buffers {
  std::vector<int> out = std::vector<int>(block * static_cast<std::size_t>(size()));
  std::vector<int> in = out;
  static std::size_t at(int number) { return block * static_cast<std::size_t>(number); }
  int* sent(int number) { return out.data() + at(number); }
  int* got(int number) { return in.data() + at(number); }
};

/// The operations of this rank.
class by_hand {
public:
  by_hand(tacit_graph g, buffers& b) : g_(g), b_(b) {}
  tacit_op send(int number, int to, tacit_op after = -1) {
    return behind(after, [&](tacit_op* op) {
      return tacit_graph_send(g_, b_.sent(number), block, MPI_INT, to, 0, op);
    });
  }
  tacit_op pass_on(int number, int to, tacit_op after) {
    return behind(
        after, [&](tacit_op* op) { return tacit_graph_send(g_, b_.got(number), block, MPI_INT, to, 0, op); });
  }
  tacit_op receive(int number, int from, tacit_op after = -1) {
    return behind(after, [&](tacit_op* op) {
      return tacit_graph_recv(g_, b_.got(number), block, MPI_INT, from, 0, op);
    });
  }
  tacit_op add(int number, int from, tacit_op after) {
    return behind(after, [&](tacit_op* op) {
      return tacit_graph_recv_reduce(g_, b_.got(number), block, MPI_INT, MPI_SUM, from, 0, op);
    });
  }
  tacit_op copy(int number) {
    return behind(-1, [&](tacit_op* op) {
      return tacit_graph_copy(g_, b_.sent(number), block, MPI_INT, b_.got(number), block, MPI_INT, op);
    });
  }
  void depend(tacit_op before, tacit_op after) {
    if (before >= 0) {
      EXPECT_EQ(tacit_graph_depend(g_, before, after), TACIT_SUCCESS) << tacit_last_error();
    }
  }

private:
  template <typename Make>
  tacit_op behind(tacit_op before, Make&& make) {
    tacit_op op = -1;
    EXPECT_EQ(make(&op), TACIT_SUCCESS) << tacit_last_error();
    depend(before, op);
    return op;
  }
  tacit_graph g_;
  buffers& b_;
};

int first_of(int from, int number, int round) {
  return 1000 * from + 100 * number + round;
}

/// What is expected in a block: the sum of what these ranks have sent of one of their blocks.
struct expected {
  int number;
  std::vector<std::pair<int, int>> from; ///< rank and number of its block
};

struct order {
  const char* name;
  std::function<std::vector<expected>(by_hand&)> make;
};

std::vector<int> others() {
  std::vector<int> out;
  for (int r = 0; r < size(); ++r)
    if (r != rank())
      out.push_back(r);
  return out;
}

const order orders[] = {
    {"a ring, at once",
     [](by_hand& h) {
       const int left = (rank() + size() - 1) % size();
       h.send(0, (rank() + 1) % size());
       h.receive(0, left);
       return std::vector<expected>{{0, {{left, 0}}}};
     }},
    {"a ring in which odd ranks receive first",
     [](by_hand& h) {
       const int left = (rank() + size() - 1) % size(), right = (rank() + 1) % size();
       if (rank() % 2 == 0)
         h.receive(0, left, h.send(0, right));
       else
         h.send(0, right, h.receive(0, left));
       return std::vector<expected>{{0, {{left, 0}}}};
     }},
    {"a chain",
     [](by_hand& h) {
       tacit_op last = -1;
       if (rank() > 0)
         last = h.receive(0, rank() - 1);
       if (rank() + 1 < size())
         rank() == 0 ? h.send(0, 1) : h.pass_on(0, rank() + 1, last);
       return rank() == 0 ? std::vector<expected>{} : std::vector<expected>{{0, {{0, 0}}}};
     }},
    {"to the end and back",
     [](by_hand& h) {
       const int last = size() - 1;
       tacit_op done = rank() == 0 ? h.send(0, 1) : h.receive(0, rank() - 1);
       if (rank() > 0 && rank() < last)
         done = h.pass_on(0, rank() + 1, done);
       if (rank() < last)
         done = h.receive(1, rank() + 1, done);
       if (rank() == last)
         h.send(1, rank() - 1, done);
       else if (rank() > 0)
         h.pass_on(1, rank() - 1, done);
       std::vector<expected> out;
       if (rank() > 0)
         out.push_back({0, {{0, 0}}});
       if (rank() < last)
         out.push_back({1, {{last, 1}}});
       return out;
     }},
    {"a star, one after the other, and answers",
     [](by_hand& h) {
       std::vector<expected> out;
       if (rank() != 0) {
         h.send(1, 0, h.receive(0, 0));
         return std::vector<expected>{{0, {{0, rank()}}}};
       }
       tacit_op last = -1;
       for (const int to : others())
         last = h.send(to, to, last);
       for (const int from : others()) {
         h.receive(from, from);
         out.push_back({from, {{from, 1}}});
       }
       return out;
     }},
    {"all to all in rounds",
     [](by_hand& h) {
       std::vector<expected> out;
       tacit_op sent = -1, received = -1;
       for (int k = 1; k < size(); ++k) {
         const int to = (rank() + k) % size(), from = (rank() + size() - k) % size();
         const tacit_op next_sent = h.send(to, to, sent), next_received = h.receive(from, from, received);
         h.depend(sent, next_received);
         h.depend(received, next_sent);
         sent = next_sent;
         received = next_received;
         out.push_back({from, {{from, rank()}}});
       }
       return out;
     }},
    {"to one rank, one after the other",
     [](by_hand& h) {
       std::vector<expected> out;
       if (rank() + 1 < size()) {
         h.send(0, size() - 1);
         return out;
       }
       tacit_op last = -1;
       for (const int from : others()) {
         last = h.receive(from, from, last);
         out.push_back({from, {{from, 0}}});
       }
       return out;
     }},
    {"a sum along a chain",
     [](by_hand& h) {
       std::vector<std::pair<int, int>> summands{{rank(), 0}};
       tacit_op last = h.copy(0);
       if (rank() > 0)
         last = h.add(0, rank() - 1, last);
       if (rank() + 1 < size())
         h.pass_on(0, rank() + 1, last);
       for (int r = 0; r < rank(); ++r)
         summands.emplace_back(r, 0);
       return std::vector<expected>{{0, summands}};
     }},
};

std::string explained(tacit_schedule schedule) {
  std::size_t needed = 0;
  tacit_explain(schedule, TACIT_EXPLAIN_JSON, nullptr, 0, &needed);
  std::string text(needed, ' ');
  tacit_explain(schedule, TACIT_EXPLAIN_JSON, text.data(), text.size(), nullptr);
  text.pop_back();
  return text;
}

using way = std::pair<std::string, std::string>; ///< plan and driver

/// Every plan that is compared for the graph, by every driver; as rank 0 has them.
std::vector<way> ways_of(tacit_schedule schedule) {
  std::string text = explained(schedule);
  auto length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  std::vector<way> out;
  for (const nlohmann::json& one : nlohmann::json::parse(text).value("predicted", nlohmann::json::array()))
    out.emplace_back(one.at("plan"), one.at("driver"));
  return out;
}

class late_rank : public testing::TestWithParam<int> {
protected:
  const order& chosen() const { return orders[GetParam()]; }

  /// Each rank is late once; nothing of what is expected is there before.
  void run(tacit_schedule schedule, buffers& b, const std::vector<expected>& wanted,
           const std::string& what) {
    for (int round = 0; round < size(); ++round) {
      for (int number = 0; number < size(); ++number)
        for (std::size_t i = 0; i < block; ++i) {
          b.sent(number)[i] = first_of(rank(), number, round) + static_cast<int>(i);
          b.got(number)[i] = -1;
        }
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank() == round)
        ::usleep(20'000);
      ASSERT_EQ(tacit_run(schedule), TACIT_SUCCESS) << what << ": " << tacit_last_error();
      for (const expected& e : wanted) {
        int wrong = 0;
        for (std::size_t i = 0; i < block; ++i) {
          int sum = 0;
          for (const auto& [from, number] : e.from)
            sum += first_of(from, number, round) + static_cast<int>(i);
          wrong += b.got(e.number)[i] != sum;
        }
        ASSERT_EQ(wrong, 0) << what << ", block " << e.number << ", rank " << round << " late";
      }
    }
  }
};

TEST_P(late_rank, holds_up_nobody_for_ever) {
  if (size() < 2)
    GTEST_SKIP() << "needs several ranks";
  std::signal(SIGALRM, tell_and_end);
  buffers b;
  tacit_graph graph = TACIT_GRAPH_NULL;
  ASSERT_EQ(tacit_graph_create(MPI_COMM_WORLD, &graph), TACIT_SUCCESS);
  by_hand hand(graph, b);
  const std::vector<expected> wanted = chosen().make(hand);
  tacit_schedule schedule = TACIT_SCHEDULE_NULL;
  ASSERT_EQ(tacit_compile(graph, MPI_INFO_NULL, &schedule), TACIT_SUCCESS) << tacit_last_error();
  const std::vector<way> ways = ways_of(schedule);
  tacit_schedule_free(&schedule);
  int ran = 0;
  for (const auto& [plan, driver] : ways) {
    const std::string what = std::string(chosen().name) + ": " + plan + " by " + driver;
    std::snprintf(running, sizeof running, "waits for ever: %s\n", what.c_str());
    ::alarm(120);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tacit_plan", plan.c_str());
    MPI_Info_set(info, "tacit_driver", driver.c_str());
    if (tacit_compile(graph, info, &schedule) == TACIT_SUCCESS) { // it may not pass its check
      run(schedule, b, wanted, what);
      tacit_schedule_free(&schedule);
      ++ran;
    } else {
      EXPECT_NE(std::string(tacit_last_error()).find("has not passed its check"), std::string::npos)
          << what << ": " << tacit_last_error();
    }
    MPI_Info_free(&info);
    ::alarm(0);
  }
  EXPECT_GE(ran, 2) << chosen().name << ", of " << ways.size();
  tacit_graph_free(&graph);
}

INSTANTIATE_TEST_SUITE_P(orders, late_rank, testing::Range(0, static_cast<int>(std::size(orders))));

} // namespace

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
