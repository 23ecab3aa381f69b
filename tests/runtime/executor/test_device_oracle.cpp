// Memories of devices against the element-wise oracle: on ranks that drive one to three devices with memories of their own, every
// kernel finds the current value of every element that it reads, what is sent is current, and every element goes into each
// memory once for each value that is read there, however late copies run.
#include "runtime/executor/device_parts.h"
#include "runtime/executor/local_buffer.h"
#include "runtime/executor/shapes.h"
#include "tasks/commands/all_pairs.h"
#include "tasks/commands/plan_machine.h"
#include "tasks/commands/program_text.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <tacit/tasks/mappers.hpp>

namespace tacit::runtime {
namespace {

using tasks::buffer_id;
using tasks::region;

/// Memories of one buffer on one rank. Copies run when somebody lets them.
class slow_memories final : public backend {
public:
  explicit slow_memories(int devices) : devices_(devices) {}
  std::string name() const override { return "slow memories"; }
  int devices() const override { return devices_; }
  int memories() const override { return 1 + devices_; }
  memory_number memory_of(int device) const override { return 1 + device; }
  detail::allocation allocate(memory_number memory, const detail::index_box&, const detail::extents& range,
                              std::size_t) override {
    detail::allocation made;
    made.range = range;
    auto& values = values_[memory];
    values.assign(range[0] * range[1] * range[2], nothing);
    made.data = values.data();
    return made;
  }
  void release(memory_number, const detail::allocation&, std::size_t) override {}
  void copy(memory_number, memory_number to, const box_copy& what, when_done done) override {
    waiting_.push_back({to, what, std::move(done)});
  }
  void launch(int, kernel_launch&&, when_done) override {}
  void run_on_host(std::function<void()>, when_done) override {}

  std::size_t waiting() const { return waiting_.size(); }
  /// Calls arrived(memory, element, value) for each element.
  template <typename Arrived>
  void run_copy(std::size_t number, const Arrived& arrived) {
    const waiting_copy one = std::move(waiting_[number]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(number));
    copy_box(one.what);
    const auto& [from, to] = one.what.box;
    for (std::size_t x = from[0]; x < to[0]; ++x)
      for (std::size_t y = from[1]; y < to[1]; ++y)
        for (std::size_t z = from[2]; z < to[2]; ++z) {
          const oracle::where at{static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
          arrived(one.to, at, value(one.what.to, at));
        }
    one.done(nullptr);
  }
  static int& value(const detail::allocation& in, const oracle::where& at) {
    const auto x = static_cast<std::size_t>(at[0]), y = static_cast<std::size_t>(at[1]),
               z = static_cast<std::size_t>(at[2]);
    return static_cast<int*>(in.data)[(x * in.range[1] + y) * in.range[2] + z];
  }

private:
  static constexpr int nothing = -2; ///< what no job has written
  struct waiting_copy {
    memory_number to;
    box_copy what;
    when_done done;
  };
  int devices_;
  std::map<memory_number, std::vector<int>> values_;
  std::vector<waiting_copy> waiting_;
};

/// By device of one rank, the elements that a job reads or writes: its rows are dealt to the devices.
oracle::touched_by_rank touched_by_devices(const oracle::program& p, const oracle::job& j, int rank,
                                           int devices, bool writing) {
  std::vector<oracle::where> mine;
  std::set<int> rows;
  for (const auto& [item, whose] : oracle::ranks_of_items(j, p.ranks))
    if (whose == rank) {
      mine.push_back(item);
      rows.insert(item[0]);
    }
  const int count = static_cast<int>(rows.size());
  const std::vector<int> device_of_row =
      oracle::part_of_coordinates(oracle::dealt(count, std::max(1, std::min(count, devices))));
  oracle::touched_by_rank out(static_cast<std::size_t>(devices));
  for (const oracle::where& item : mine) {
    const auto row = static_cast<std::size_t>(std::distance(rows.begin(), rows.find(item[0])));
    for (const oracle::use& u : j.uses)
      if (writing ? u.writes : u.reads)
        for (const oracle::element_of& e :
             oracle::elements_of(u.buffer, p.buffers[static_cast<std::size_t>(u.buffer)]))
          if (oracle::touches(u.what, item, e.at, j, p.buffers[static_cast<std::size_t>(u.buffer)]))
            out[static_cast<std::size_t>(device_of_row[row])].insert(e);
  }
  return out;
}

/// No two devices of a rank write the same element: then who of them was last nobody could say.
bool valid_on_devices(const oracle::program& p, int devices) {
  for (const oracle::job& j : p.jobs)
    for (int rank = 0; rank < p.ranks; ++rank) {
      std::set<oracle::element_of> written;
      for (const auto& of_device : touched_by_devices(p, j, rank, devices, true))
        for (const oracle::element_of& e : of_device)
          if (!written.insert(e).second)
            return false;
    }
  return true;
}

/// An element with one of its values in one memory of a rank.
using replica = std::tuple<int, oracle::element_of, int, memory_number>;

class device_machine final : public tasks::plan_machine {
public:
  device_machine(const oracle::program& p, const oracle::expectation& e, tasks::machine_options options,
                 int devices)
      : plan_machine(p, e, options), devices_(devices) {
    for (int rank = 0; rank < p.ranks; ++rank)
      for (std::size_t b = 0; b < p.buffers.size(); ++b) {
        const oracle::where& extent = p.buffers[b];
        const std::vector<int> first(static_cast<std::size_t>(oracle::volume(extent)), -1);
        detail::buffer_description what;
        what.dims = 3;
        what.element_bytes = sizeof(int);
        what.host_data = first.data();
        for (std::size_t d = 0; d < 3; ++d)
          what.range[d] = static_cast<std::size_t>(extent[d]);
        memories_.push_back(std::make_unique<slow_memories>(devices));
        buffers_.push_back(std::make_unique<local_buffer>(
            *memories_.back(), what, [](const task_function& f) { f(); }, [](const std::exception_ptr&) {}));
        for (const oracle::element_of& element : oracle::elements_of(static_cast<int>(b), extent)) {
          holders_[{rank, element}] = {host_memory};
          value_of_[{rank, element}] = -1;
        }
      }
  }

  void run_to_the_end() {
    run();
    for (std::size_t n = 0; n < memories_.size(); ++n)
      while (memories_[n]->waiting() > 0)
        run_copy(n);
  }

  std::multiset<replica> copied, wanted;

private:
  std::size_t number(int rank, buffer_id b) const {
    return static_cast<std::size_t>(rank) * program_.buffers.size() + index(b);
  }
  static buffer_id buffer_of(const oracle::element_of& e) {
    return buffer_id{static_cast<std::uint32_t>(e.buffer)};
  }

  void run_copy(std::size_t n) {
    const int rank = static_cast<int>(n / program_.buffers.size()),
              b = static_cast<int>(n % program_.buffers.size());
    memories_[n]->run_copy(random_() % memories_[n]->waiting(),
                           [&](memory_number to, const oracle::where& at, int value) {
                             copied.insert({rank, {b, at}, value, to});
                           });
  }
  /// Runs copies of a rank in any order, until nobody waits.
  void wait_for(std::size_t& waits, int rank) {
    while (waits > 0) {
      std::vector<std::size_t> with_copies;
      for (std::size_t b = 0; b < program_.buffers.size(); ++b)
        if (const std::size_t n = number(rank, buffer_id{static_cast<std::uint32_t>(b)});
            memories_[n]->waiting() > 0)
          with_copies.push_back(n);
      if (with_copies.empty()) {
        trouble = "who waits for a copy waits for ever";
        return;
      }
      run_copy(with_copies[random_() % with_copies.size()]);
    }
  }
  void bring(int rank, memory_number to, buffer_id b, const region& what, std::size_t& waits) {
    note_wanted(rank, to, b, what);
    waits += buffers_[number(rank, b)]->bring(to, what, [&waits] { --waits; });
  }
  void note_wanted(int rank, memory_number to, buffer_id b, const region& what) {
    for (const oracle::element_of& e : tasks::elements_of(b, what))
      if (holders_[{rank, e}].insert(to).second)
        wanted.insert({rank, e, value_of_[{rank, e}], to});
  }
  void quiet(int rank, buffer_id b, const region& what, std::size_t& waits) {
    waits += buffers_[number(rank, b)]->quiet(what, [&waits] { --waits; });
  }
  void write(int rank, memory_number in, const oracle::element_of& e, int version) {
    slow_memories::value(buffers_[number(rank, buffer_of(e))]->in(in), e.at) = version;
    holders_[{rank, e}] = {in};
    value_of_[{rank, e}] = version;
  }

  void before_sending(int rank, buffer_id b, const region& what) override {
    std::size_t waits = 0;
    bring(rank, host_memory, b, what, waits);
    wait_for(waits, rank);
  }
  void before_receiving(int rank, buffer_id b, const region& what) override {
    std::size_t waits = 0;
    quiet(rank, b, what, waits);
    wait_for(waits, rank);
  }
  int sent(int rank, const oracle::element_of& e) override {
    return slow_memories::value(buffers_[number(rank, buffer_of(e))]->in(host_memory), e.at);
  }
  void received(int rank, const oracle::element_of& e, int version) override {
    write(rank, host_memory, e, version);
    const oracle::where after{e.at[0] + 1, e.at[1] + 1, e.at[2] + 1};
    buffers_[number(rank, buffer_of(e))]->written(host_memory, region(tasks::box_at(e.at, after)));
  }
  void received_by_all(int rank, buffer_id b, const region& what) override {
    for (int d = 0; d < devices_; ++d) {
      note_wanted(rank, 1 + d, b, what);
      buffers_[number(rank, b)]->bring(1 + d, what, [] {}); // nobody waits yet
    }
  }

  void run_job(int rank, const tasks::command& c, std::size_t n) override {
    const tasks::task what = tasks::task_of(program_.jobs[n]);
    const auto chunks = parts_for_devices(what, c.chunk, devices_);
    std::vector<std::vector<region>> touched;
    for (const tasks::box& chunk : chunks)
      touched.push_back(touched_by(what, chunk, [&](buffer_id b) {
        const oracle::where& extent = program_.buffers[index(b)];
        return tasks::range{{extent[0], extent[1], extent[2]}};
      }));
    std::size_t waits = 0;
    for (int d = 0; d < devices_; ++d)
      for (std::size_t a = 0; a < what.accesses.size(); ++a) {
        const region& where = touched[static_cast<std::size_t>(d)][a];
        if (reads(what.accesses[a].mode))
          bring(rank, 1 + d, what.accesses[a].buffer, where, waits);
        if (writes(what.accesses[a].mode))
          quiet(rank, what.accesses[a].buffer, where, waits);
      }
    wait_for(waits, rank);
    for (int d = 0; d < devices_; ++d)
      run_part(rank, d, n, what, touched[static_cast<std::size_t>(d)]);
  }

  void run_part(int rank, int d, std::size_t n, const tasks::task& what, const std::vector<region>& touched) {
    const oracle::job& job = program_.jobs[n];
    const auto device = static_cast<std::size_t>(d);
    const auto needed = touched_by_devices(program_, job, rank, devices_, false)[device];
    for (const oracle::element_of& e : needed)
      if (const int found = slow_memories::value(buffers_[number(rank, buffer_of(e))]->in(1 + d), e.at);
          found != expected_.versions[n].at(e))
        complain(rank, e, found, expected_.versions[n].at(e), static_cast<int>(n));
    std::set<oracle::element_of> said;
    for (std::size_t a = 0; a < what.accesses.size(); ++a)
      if (writes(what.accesses[a].mode)) {
        buffers_[number(rank, what.accesses[a].buffer)]->written(1 + d, touched[a]);
        for (const oracle::element_of& e : tasks::elements_of(what.accesses[a].buffer, touched[a]))
          said.insert(e);
      }
    const auto written = touched_by_devices(program_, job, rank, devices_, true)[device];
    if (said != written)
      trouble = "a device writes something else than its items";
    for (const oracle::element_of& e : written)
      write(rank, 1 + d, e, static_cast<int>(n));
  }

  int devices_;
  std::vector<std::unique_ptr<slow_memories>> memories_; ///< by rank and buffer
  std::vector<std::unique_ptr<local_buffer>> buffers_;
  std::map<std::pair<int, oracle::element_of>, std::set<memory_number>> holders_;
  std::map<std::pair<int, oracle::element_of>, int> value_of_;
};

/// False if it is no valid program.
bool check(const oracle::program& p, unsigned order, int devices) {
  const oracle::expectation expected = oracle::expect(p);
  if (!expected.valid || !valid_on_devices(p, devices))
    return false;
  device_machine machine(p, expected, {true, true, order}, devices);
  machine.run_to_the_end();
  EXPECT_EQ(machine.trouble, "");
  EXPECT_TRUE(machine.copied == machine.wanted)
      << machine.copied.size() << " elements were copied between memories, " << machine.wanted.size()
      << " were needed";
  if (testing::Test::HasFailure())
    ADD_FAILURE() << tasks::text_of(p) << "\n  devices " << devices << ", order " << order;
  return true;
}

/// What kernels of that many dimensions may say of a buffer with as many, an instance of each, as tacit/tasks/mappers.hpp has them.
template <int Dims>
std::vector<detail::mapper> public_catalogue(const oracle::where& extent) {
  const auto length = [&](int d) { return static_cast<std::size_t>(extent[static_cast<std::size_t>(d)]); };
  subrange<Dims> part;
  range<Dims> border, reach, one;
  for (int d = 0; d < Dims; ++d) {
    part.offset[d] = length(d) / 3;
    part.range[d] = std::max(part.offset[d] + 1, length(d) - 1) - part.offset[d];
    border[d] = one[d] = 1;
    reach[d] = d == 0 ? 2 : 1;
  }
  std::vector<detail::mapper> out{
      detail::describe(access::one_to_one()),
      detail::describe(access::all()),
      detail::describe(access::fixed<Dims>(part)),
      detail::describe(access::neighborhood<Dims>(border)),
      detail::describe(access::neighborhood<Dims>(reach, neighborhood_shape::along_axes)),
      detail::describe(access::even_split<Dims>(one))};
  for (std::size_t d = 0; d < Dims; ++d)
    out.push_back(detail::describe(access::slice<Dims>(d)));
  if constexpr (Dims == 1)
    out.push_back(detail::describe(access::transposed<0>()));
  if constexpr (Dims == 2) {
    out.push_back(detail::describe(access::transposed<1, 0>()));
    out.push_back(detail::describe(access::transposed<1>()));
  }
  if constexpr (Dims == 3) {
    out.push_back(detail::describe(access::transposed<1, 0, 2>()));
    out.push_back(detail::describe(access::transposed<2, 1, 0>()));
    out.push_back(detail::describe(access::transposed<0, 2, 1>()));
    out.push_back(detail::describe(access::transposed<1, 2, 0>()));
    out.push_back(detail::describe(access::transposed<2, 0, 1>()));
    out.push_back(detail::describe(access::transposed<2, 1>()));
  }
  return out;
}

/// Whether each of them is one of those of which all pairs are planned, and each kind of them there is.
template <int Dims>
void expect_all_in_pairs() {
  for (const auto& [dims, extent] : tasks::all_pairs_shapes) {
    if (dims != Dims)
      continue;
    std::vector<tasks::mapper> paired;
    for (const oracle::touch& t : tasks::catalogue(dims, extent))
      paired.push_back(tasks::mapper_of(t));
    std::set<detail::mapper_kind> kinds;
    for (const detail::mapper& said : public_catalogue<Dims>(extent)) {
      const tasks::mapper meant = to_mapper(said, Dims);
      kinds.insert(said.kind);
      EXPECT_TRUE(std::ranges::any_of(paired, [&](const tasks::mapper& m) { return m.terms == meant.terms; }))
          << meant.name << " in " << dims << " dimensions";
    }
    EXPECT_EQ(kinds.size(), static_cast<std::size_t>(detail::mapper_kind::user));
    EXPECT_TRUE(std::ranges::any_of(paired, [](const tasks::mapper& m) { return !m.symbolic(); }));
  }
}

TEST(all_pairs, have_every_mapper_of_the_public_header) {
  expect_all_in_pairs<1>();
  expect_all_in_pairs<2>();
  expect_all_in_pairs<3>();
}

// As in tests/tasks/commands/test_plan.cpp, on one to three devices: a part of them, another one each time, unless
// ALL_TASK_PROGRAMS=1.
TEST(device_oracle, all_pairs_of_mappers_and_splits_find_current_values_in_each_memory) {
  const std::size_t stride = std::getenv("ALL_TASK_PROGRAMS") ? 1 : 211;
  const std::size_t first = std::random_device()() % stride;
  SCOPED_TRACE(testing::Message() << "first " << first);
  std::size_t turn = first, planned = 0;
  for (const auto& [dims, extent] : tasks::all_pairs_shapes)
    for (int ranks = 1; ranks <= 8; ++ranks) {
      const tasks::three_jobs jobs(ranks, dims, extent);
      for (std::size_t n = turn % stride; n < jobs.count(); n += stride, turn += 7) {
        const oracle::program p = jobs.make(n, turn);
        for (int devices = 1; devices <= 3 && tasks::fits(p); ++devices)
          planned += check(p, static_cast<unsigned>(n), devices) ? 1 : 0;
        if (HasFailure())
          return;
      }
    }
  RecordProperty("planned", static_cast<int>(planned));
  EXPECT_GT(planned, 60'000 / stride);
}

} // namespace
} // namespace tacit::runtime
