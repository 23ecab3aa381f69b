// All behaviours of the channel protocol, for few ranks and runs: the code of protocol.h on a model of
// memory.
//
// The model. Atomic variables keep every value stored, with the clock of the storing thread if the store
// releases. A load may return any value that is not older than what the thread has seen of this variable or
// knows to have happened (release and acquire allow exactly that where every variable has one writer, as
// here); the search tries all of them. Payload is ordinary memory: a read or write that is not ordered with
// the other thread's by happened-before is a data race, and a read of anything but the expected piece is
// wrong.
//
// The search. A step is one poll, or the start of a run, of one thread. A step loads, then stores; another
// thread's load may return older values, so that finer steps add no behaviour: polls stop and go on at loads.
// From each state all steps with all loaded values are tried, equal states once. A state that is not the end
// and that no step leaves is a deadlock. Mutants prove that the search finds what it must find.
#include "runtime/channel/protocol.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <unordered_set>
#include <vector>

namespace tacit::test {

using namespace runtime;
namespace {

constexpr std::size_t max_threads = 3;
using vector_clock = std::array<std::uint8_t, max_threads>;

enum class fault {
  none,
  relaxed_release,
  relaxed_acquire,
  flag_before_payload,
  ignored_acknowledgement,
  acknowledgement_before_read,
  ignored_answer,
  answer_before_read,
  ignored_ready,
  placed_too_early,
  placed_looked_at_once,
};

struct stored {
  std::uint64_t value = 0;
  std::uint8_t thread = 0, epoch = 0;
  vector_clock released{};
};

struct atomic_variable {
  std::vector<stored> history{stored{}};
  std::array<std::uint8_t, max_threads> seen{}; ///< index of the newest value each thread has loaded
};

struct payload_cell {
  std::uint64_t value = 0;
  std::uint8_t writer = 0, written = 0;
  std::array<std::uint8_t, max_threads> read{}; ///< epoch of each thread's last read, 0 if none
};

struct channel_memory {
  std::vector<atomic_variable> flags;
  atomic_variable acknowledgement, offer, answer;
  std::vector<payload_cell> payload;
  payload_cell user;   ///< the source's own memory, read directly
  payload_cell target; ///< the destination's own memory, in placed channels only
};

struct world_memory {
  std::array<vector_clock, max_threads> clocks{};
  std::vector<channel_memory> channels;
};

/// What the ports work on: set by the search before each step.
struct environment {
  world_memory* memory = nullptr;
  std::string error;
  std::vector<std::size_t> script, widths; ///< which of how many values each load of the step returns
  std::size_t at = 0;
  fault wrong = fault::none;
};
environment now;

std::size_t choose(std::size_t n) {
  if (now.at == now.script.size())
    now.script.push_back(0);
  now.widths.resize(now.at + 1);
  now.widths[now.at] = n;
  return now.script[now.at++];
}

void fail(const char* what) {
  if (now.error.empty())
    now.error = what;
}

struct thread_memory {
  std::uint8_t id = 0;

  vector_clock& clock() const { return now.memory->clocks[id]; }
  std::uint64_t load(atomic_variable& v) const {
    std::size_t oldest = v.seen[id];
    for (std::size_t i = oldest; i < v.history.size(); ++i)
      if (v.history[i].epoch <= clock()[v.history[i].thread])
        oldest = i;
    const std::size_t i = v.history.size() - 1 - choose(v.history.size() - oldest);
    v.seen[id] = static_cast<std::uint8_t>(i);
    if (now.wrong != fault::relaxed_acquire)
      for (std::size_t t = 0; t < max_threads; ++t)
        clock()[t] = std::max(clock()[t], v.history[i].released[t]);
    return v.history[i].value;
  }
  void store(atomic_variable& v, std::uint64_t value) const {
    stored s{value, id, clock()[id], {}};
    if (now.wrong != fault::relaxed_release)
      s.released = clock();
    v.history.push_back(s);
    v.seen[id] = static_cast<std::uint8_t>(v.history.size() - 1);
    ++clock()[id];
  }
  void write(payload_cell& cell, std::uint64_t value) const {
    if (cell.written > clock()[cell.writer])
      fail("two writes race");
    for (std::size_t t = 0; t < max_threads; ++t)
      if (cell.read[t] > clock()[t])
        fail("a slot is overwritten while it is read");
    cell = {value, id, clock()[id], {}};
  }
  void read(payload_cell& cell, std::uint64_t expected) const {
    if (cell.written > clock()[cell.writer])
      fail("a slot is read while it is written");
    if (cell.value != expected)
      fail("a slot holds another message");
    cell.read[id] = clock()[id];
  }
};

struct model_source_port : thread_memory {
  std::size_t channel = 0;
  std::uint64_t pieces = 1;
  std::uint64_t run = 0, late = 0;

  channel_memory& memory() const { return now.memory->channels[channel]; }
  void produce() { write(memory().user, run + 1); }
  std::uint64_t acknowledged() const {
    return now.wrong == fault::ignored_acknowledgement ? 1000 : load(memory().acknowledgement);
  }
  void fill(std::uint32_t slot, std::uint32_t piece) {
    const std::uint64_t value = run * pieces + piece + 1;
    if (now.wrong == fault::flag_before_payload)
      late = value;
    else
      write(memory().payload[slot], value);
  }
  void publish(std::uint32_t slot, std::uint64_t number) {
    store(memory().flags[slot], number);
    if (now.wrong == fault::flag_before_payload)
      write(memory().payload[slot], late);
  }
  void claim(std::uint32_t) const {}
  /// Now and then a source has too many pieces.
  bool offer(std::uint64_t message) {
    const bool refused = may_refuse && choose(2) == 1;
    store(memory().offer, direct_word(message, refused));
    return !refused;
  }
  std::uint64_t answered() {
    const std::uint64_t word = load(memory().answer);
    return now.wrong == fault::ignored_answer ? direct_word(run + 1, false) : word;
  }
  bool places() { return !may_refuse || choose(2) == 0; }
  std::uint64_t ready() { return now.wrong == fault::ignored_ready ? 1000 : load(memory().answer); }
  void place() {
    if (now.wrong != fault::placed_too_early)
      write(memory().target, run + 1);
  }
  void publish_placed(std::uint64_t message) {
    store(memory().offer, message);
    if (now.wrong == fault::placed_too_early)
      write(memory().target, run + 1);
  }
  bool may_refuse = false;
};

struct model_destination_port : thread_memory {
  std::size_t channel = 0;
  std::uint64_t pieces = 1;
  std::uint64_t run = 0, late = 0;

  channel_memory& memory() const { return now.memory->channels[channel]; }
  std::uint64_t published(std::uint32_t slot) const { return load(memory().flags[slot]); }
  void drain(std::uint32_t slot, std::uint32_t piece) {
    late = slot;
    if (now.wrong != fault::acknowledgement_before_read)
      read(memory().payload[slot], run * pieces + piece + 1);
    if (placed_channel)
      write(memory().target, run + 1);
  }
  /// The program reads what has arrived, before it starts the next run.
  void consume() const {
    if (placed_channel)
      read(memory().target, run + 1);
  }
  void make_ready(std::uint64_t message) {
    store(memory().answer, message);
    looks = 0;
  }
  std::uint64_t placed() {
    if (now.wrong == fault::placed_looked_at_once && looks++ % 2 == 1)
      return late;
    return late = load(memory().offer);
  }
  void acknowledge(std::uint64_t number) const {
    store(memory().acknowledgement, number);
    if (now.wrong == fault::acknowledgement_before_read)
      read(memory().payload[late], number);
  }
  std::uint64_t offered() const { return load(memory().offer); }
  /// Permission may be missing at any time.
  bool pull() {
    if (may_refuse && choose(2) == 1)
      return false;
    if (now.wrong != fault::answer_before_read)
      read(memory().user, run + 1);
    return true;
  }
  void answer(std::uint64_t word) {
    store(memory().answer, word);
    if (now.wrong == fault::answer_before_read && !is_refused(word))
      read(memory().user, run + 1);
  }
  bool may_refuse = false, placed_channel = false;
  std::uint64_t looks = 0;
};

struct thread_state {
  std::vector<channel_source<model_source_port>> out;
  std::vector<channel_destination<model_destination_port>> in;
  std::uint64_t started = 0;

  bool idle() const {
    return std::all_of(out.begin(), out.end(), [](const auto& c) { return c.done(); }) &&
           std::all_of(in.begin(), in.end(), [](const auto& c) { return c.done(); });
  }
};

struct world_state {
  world_memory memory;
  std::vector<thread_state> threads;
};

struct edge {
  std::uint8_t from, to;
  channel_shape shape;
};

channel_shape shape(std::uint32_t pieces, std::uint32_t slots, bool reciprocal, bool counted) {
  channel_shape s;
  s.pieces = pieces;
  s.slots = slots;
  s.reciprocal = reciprocal;
  s.counted = counted;
  return s;
}

world_state initial(std::size_t threads, const std::vector<edge>& edges) {
  world_state w;
  w.threads.resize(threads);
  for (std::size_t t = 0; t < max_threads; ++t)
    w.memory.clocks[t][t] = 1;
  for (std::size_t c = 0; c < edges.size(); ++c) {
    const edge& e = edges[c];
    channel_memory m;
    m.flags.resize(e.shape.slots);
    m.payload.resize(e.shape.slots);
    w.memory.channels.push_back(m);
    w.threads[e.from].out.emplace_back(e.shape, model_source_port{{e.from}, c, e.shape.pieces});
    w.threads[e.to].in.emplace_back(e.shape, model_destination_port{{e.to}, c, e.shape.pieces});
  }
  return w;
}

std::string key_of(const world_state& w) {
  std::string key;
  const auto put = [&key](std::uint64_t x) { key.push_back(static_cast<char>(x)); };
  for (const auto& clock : w.memory.clocks)
    for (const auto x : clock)
      put(x);
  const auto put_variable = [&](const atomic_variable& v) {
    put(v.history.size());
    for (const auto& s : v.history) {
      put(s.value);
      put(s.epoch);
      for (const auto x : s.released)
        put(x);
    }
    for (const auto x : v.seen)
      put(x);
  };
  const auto put_cell = [&](const payload_cell& p) {
    put(p.value);
    put(p.written);
    for (const auto x : p.read)
      put(x);
  };
  for (const auto& c : w.memory.channels) {
    for (const auto& f : c.flags)
      put_variable(f);
    for (const auto* v : {&c.acknowledgement, &c.offer, &c.answer})
      put_variable(*v);
    put_cell(c.user);
    put_cell(c.target);
    for (const auto& p : c.payload)
      put_cell(p);
  }
  for (const auto& t : w.threads) {
    put(t.started);
    for (const auto& c : t.out)
      put(c.next()), put(c.posted()), put(c.consumed()), put(c.allowed()), put(c.done());
    for (const auto& c : t.in)
      put(c.next()), put(c.posted()), put(c.allowed()), put(c.done());
  }
  return key;
}

/// As above, but read directly unless the source refuses a message, until the destination refuses one.
world_state direct(std::size_t threads, std::vector<edge> edges, bool may_refuse) {
  for (edge& e : edges)
    e.shape.direct = true;
  world_state w = initial(threads, edges);
  for (thread_state& t : w.threads) {
    for (auto& c : t.out)
      c.port.may_refuse = may_refuse;
    for (auto& c : t.in)
      c.port.may_refuse = may_refuse;
  }
  return w;
}

/// As above, but placed unless the source prefers to copy.
world_state placed(std::size_t threads, std::vector<edge> edges, bool may_copy) {
  for (edge& e : edges)
    e.shape.placed = true;
  world_state w = initial(threads, edges);
  for (thread_state& t : w.threads) {
    for (auto& c : t.out)
      c.port.may_refuse = may_copy;
    for (auto& c : t.in)
      c.port.placed_channel = true;
  }
  return w;
}

struct outcome {
  std::string error;
  std::size_t states = 0;
};

class search {
public:
  search(std::uint64_t runs, fault wrong) : runs_(runs), wrong_(wrong) {}

  outcome from(const world_state& first) {
    visit(first);
    while (!open_.empty() && error_.empty()) {
      const world_state w = std::move(open_.back());
      open_.pop_back();
      expand(w);
    }
    return {error_, known_.size()};
  }

private:
  bool visit(const world_state& w) {
    if (!known_.insert(key_of(w)).second)
      return false;
    open_.push_back(w);
    return true;
  }

  void expand(const world_state& w) {
    const std::string here = key_of(w);
    bool finished = true, moved = false;
    for (std::size_t t = 0; t < w.threads.size(); ++t) {
      const thread_state& thread = w.threads[t];
      if (thread.idle()) {
        if (thread.started == runs_)
          continue;
        finished = false;
        moved |= all_values(w, here, [t](world_state& s) { start(s.threads[t]); });
        continue;
      }
      finished = false;
      for (std::size_t i = 0; i < thread.out.size(); ++i)
        if (!thread.out[i].done())
          moved |= all_values(w, here, [t, i](world_state& s) { s.threads[t].out[i].poll(); });
      for (std::size_t i = 0; i < thread.in.size(); ++i)
        if (!thread.in[i].done())
          moved |= all_values(w, here, [t, i](world_state& s) { s.threads[t].in[i].poll(); });
    }
    if (!finished && !moved && error_.empty())
      error_ = "deadlock";
  }

  static void start(thread_state& thread) {
    for (auto& c : thread.out) {
      c.port.run = thread.started;
      c.port.produce(); // the program writes its buffer: nobody may still read it
      c.post();
    }
    for (auto& c : thread.in) {
      if (thread.started > 0)
        c.port.consume();
      c.port.run = thread.started;
      c.post();
    }
    ++thread.started;
  }

  /// One step with every combination of loaded values; true if one of them leads elsewhere.
  template <typename Step>
  bool all_values(const world_state& w, const std::string& here, Step step) {
    bool moved = false;
    now = {};
    now.wrong = wrong_;
    do {
      world_state next = w;
      now.memory = &next.memory;
      now.at = 0;
      step(next);
      if (!now.error.empty())
        error_ = now.error;
      moved |= key_of(next) != here;
      visit(next);
    } while (next_script());
    return moved;
  }

  static bool next_script() {
    now.script.resize(now.at);
    while (!now.script.empty()) {
      if (++now.script.back() < now.widths[now.script.size() - 1])
        return true;
      now.script.pop_back();
    }
    return false;
  }

  std::uint64_t runs_;
  fault wrong_;
  std::unordered_set<std::string> known_;
  std::vector<world_state> open_;
  std::string error_;
};

outcome explore(std::size_t threads, const std::vector<edge>& edges, std::uint64_t runs,
                fault wrong = fault::none) {
  return search(runs, wrong).from(initial(threads, edges));
}

std::vector<edge> both_ways(const channel_shape& s) {
  return {{0, 1, s}, {1, 0, s}};
}

void expect_right(const outcome& o) {
  EXPECT_EQ(o.error, "");
  EXPECT_GT(o.states, 10u);
  ::testing::Test::RecordProperty("states", static_cast<int>(o.states));
}

TEST(interleavings, two_slots_without_acknowledgement) {
  expect_right(explore(2, both_ways(shape(1, 2, true, false)), 8));
}

TEST(interleavings, several_messages_between_a_pair) {
  const channel_shape s = shape(1, 2, true, false);
  expect_right(explore(2, {{0, 1, s}, {1, 0, s}, {0, 1, s}}, 6));
}

TEST(interleavings, one_way_with_acknowledgement) {
  expect_right(explore(2, {{0, 1, shape(1, 2, false, true)}}, 8));
  expect_right(explore(2, {{0, 1, shape(1, 1, false, true)}}, 8));
}

TEST(interleavings, ring_of_pieces) {
  expect_right(explore(2, {{0, 1, shape(3, 2, false, true)}}, 4));
  expect_right(explore(2, both_ways(shape(2, 3, true, true)), 3));
  expect_right(explore(2, {{0, 1, shape(2, 4, true, false)}, {1, 0, shape(1, 2, true, false)}}, 5));
}

TEST(interleavings, direct_messages) {
  const channel_shape s = shape(1, 2, true, false);
  expect_right(search(6, fault::none).from(direct(2, both_ways(s), false)));
  expect_right(search(6, fault::none).from(direct(2, {{0, 1, shape(1, 2, false, true)}}, false)));
}

TEST(interleavings, direct_messages_that_are_refused_in_some_run) {
  expect_right(search(4, fault::none).from(direct(2, both_ways(shape(1, 2, true, false)), true)));
  expect_right(search(4, fault::none).from(direct(2, {{0, 1, shape(1, 2, false, true)}}, true)));
  expect_right(search(3, fault::none).from(direct(2, {{0, 1, shape(3, 2, false, true)}}, true)));
}

TEST(interleavings, finds_a_buffer_that_is_written_before_the_answer) {
  const std::vector<edge> one_way{{0, 1, shape(1, 2, false, true)}};
  for (const fault f : {fault::ignored_answer, fault::answer_before_read})
    EXPECT_NE(search(3, f).from(direct(2, one_way, false)).error, "");
  for (const fault f : {fault::relaxed_release, fault::relaxed_acquire}) {
    EXPECT_NE(search(3, f).from(direct(2, one_way, false)).error, "");
    EXPECT_NE(search(3, f).from(direct(2, both_ways(shape(1, 2, true, false)), true)).error, "");
  }
}

TEST(interleavings, placed_messages) {
  expect_right(search(6, fault::none).from(placed(2, both_ways(shape(1, 2, true, false)), false)));
  expect_right(search(6, fault::none).from(placed(2, {{0, 1, shape(1, 2, false, true)}}, false)));
}

TEST(interleavings, placed_messages_of_which_some_are_copied) {
  expect_right(search(4, fault::none).from(placed(2, both_ways(shape(1, 2, true, false)), true)));
  expect_right(search(4, fault::none).from(placed(2, {{0, 1, shape(1, 2, false, true)}}, true)));
  expect_right(search(3, fault::none).from(placed(2, {{0, 1, shape(3, 2, false, true)}}, true)));
}

TEST(interleavings, finds_what_is_wrong_with_placed_messages) {
  const std::vector<edge> one_way{{0, 1, shape(1, 2, false, true)}};
  for (const fault f :
       {fault::ignored_ready, fault::placed_too_early, fault::relaxed_release, fault::relaxed_acquire})
    EXPECT_NE(search(3, f).from(placed(2, one_way, false)).error, "") << static_cast<int>(f);
  EXPECT_NE(search(4, fault::placed_looked_at_once).from(placed(2, one_way, true)).error, "");
}

TEST(interleavings, three_ranks_one_way_around) {
  const channel_shape s = shape(1, 2, false, true);
  expect_right(explore(3, {{0, 1, s}, {1, 2, s}, {2, 0, s}}, 4));
}

/// Two slots and both directions would do, but the direction back is a message of somebody else.
TEST(interleavings, finds_a_missing_way_back) {
  EXPECT_NE(explore(2, {{0, 1, shape(1, 2, true, false)}}, 4).error, "");
}

TEST(interleavings, finds_a_single_slot) {
  EXPECT_NE(explore(2, both_ways(shape(1, 1, true, true)), 3, fault::ignored_acknowledgement).error, "");
}

TEST(interleavings, finds_a_flag_before_its_payload) {
  EXPECT_NE(explore(2, both_ways(shape(1, 2, true, false)), 3, fault::flag_before_payload).error, "");
}

TEST(interleavings, finds_a_missing_acknowledgement) {
  EXPECT_NE(explore(2, {{0, 1, shape(1, 2, false, true)}}, 4, fault::ignored_acknowledgement).error, "");
}

TEST(interleavings, finds_an_acknowledgement_before_the_read) {
  EXPECT_NE(explore(2, {{0, 1, shape(1, 2, false, true)}}, 4, fault::acknowledgement_before_read).error, "");
}

TEST(interleavings, finds_orders_that_are_too_weak) {
  for (const fault f : {fault::relaxed_release, fault::relaxed_acquire}) {
    EXPECT_NE(explore(2, both_ways(shape(1, 2, true, false)), 3, f).error, "");
    EXPECT_NE(explore(2, {{0, 1, shape(1, 2, false, true)}}, 4, f).error, "");
  }
}

/// Without acknowledgements a ring that is smaller than two messages could never be refilled.
TEST(interleavings, finds_a_deadlock) {
  EXPECT_EQ(explore(2, {{0, 1, shape(3, 2, false, false)}}, 2).error, "deadlock");
}

} // namespace
} // namespace tacit::test
