// Channels between threads of one process: every protocol and size, random delays, every byte checked. Built
// with ThreadSanitizer it also shows that the real code synchronizes what it shares.
#include "runtime/channel/channel.h"
#include "runtime/channel/shared_cache.h"
#include "seed.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <unistd.h>

namespace tacit::test {

using namespace runtime;
namespace {

/// Memory of one channel and of the users at its ends.
struct line {
  line(const channel_shape& shape_, std::mt19937_64& random, std::uint32_t id_)
      : shape(shape_), memory(std::make_unique<aligned[]>(channel_bytes(shape) / cache_line)), id(id_),
        from(cut(random, from_bytes)), into(cut(random, into_bytes)) {}

  struct alignas(cache_line) aligned {
    std::byte bytes[cache_line] = {};
  };

  source_channel make_source() {
    source_port port(shape, memory[0].bytes, from);
    port.targets = into;
    return {shape, std::move(port)};
  }
  destination_channel make_destination() {
    destination_port port(shape, memory[0].bytes, into);
    port.source_process = readable ? getpid() : 0;
    return {shape, std::move(port)};
  }

  void produce(std::uint64_t run) {
    std::uint64_t i = 0;
    for (const graphs::segment& s : from)
      for (std::uint64_t k = 0; k < s.length; ++k)
        reinterpret_cast<std::byte*>(s.address)[k] = value(run, i++);
  }
  /// Bytes that are not what was sent.
  std::uint64_t wrong(std::uint64_t run) const {
    std::uint64_t i = 0, bad = 0;
    for (const graphs::segment& s : into)
      for (std::uint64_t k = 0; k < s.length; ++k)
        bad += reinterpret_cast<const std::byte*>(s.address)[k] != value(run, i++);
    return bad;
  }

  channel_shape shape;
  std::unique_ptr<aligned[]> memory;
  std::uint32_t id;
  bool readable = true; ///< direct ones
  std::vector<std::byte> from_bytes, into_bytes;
  std::vector<graphs::segment> from, into;

private:
  std::byte value(std::uint64_t run, std::uint64_t i) const {
    return static_cast<std::byte>((run * 7919 + i * 31 + (i >> 8) + id * 101) & 0xff);
  }
  /// The message in one piece or in several with gaps.
  std::vector<graphs::segment> cut(std::mt19937_64& random, std::vector<std::byte>& bytes) {
    const std::uint64_t parts = shape.bytes == 0 ? 0 : 1 + random() % std::min<std::uint64_t>(shape.bytes, 5);
    bytes.resize(shape.bytes + parts * 16);
    std::vector<graphs::segment> list;
    std::uint64_t done = 0, at = 0;
    for (std::uint64_t i = 0; i < parts; ++i) {
      const std::uint64_t left = shape.bytes - done;
      const std::uint64_t n = i + 1 == parts ? left : 1 + random() % (left - (parts - 1 - i));
      list.push_back({reinterpret_cast<std::uint64_t>(bytes.data()) + at, n});
      done += n;
      at += n + random() % 16;
    }
    return list;
  }
};

/// One rank of a plan without dependencies: what it sends and receives in every run.
void run_rank(std::vector<line*> out, std::vector<line*> in, std::uint64_t runs, std::uint64_t delays,
              std::atomic<std::uint64_t>& bad) {
  std::mt19937_64 random(delays);
  std::vector<source_channel> sources;
  std::vector<destination_channel> destinations;
  for (line* l : out)
    sources.push_back(l->make_source());
  for (line* l : in)
    destinations.push_back(l->make_destination());
  for (std::uint64_t run = 1; run <= runs; ++run) {
    for (line* l : out)
      l->produce(run);
    for (auto& s : sources)
      s.port.far = random() % 2; // any message may travel either way
    if (random() % 16 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 50));
    bool all = true;
    for (auto& s : sources)
      all = s.post() && all;
    for (auto& d : destinations)
      d.post();
    do {
      all = true;
      for (auto& s : sources)
        all = s.poll() && all;
      for (auto& d : destinations)
        all = d.poll() && all;
      if (!all)
        std::this_thread::yield();
    } while (!all);
    for (auto& s : sources)
      s.claim_next();
    for (line* l : in)
      bad += l->wrong(run);
  }
}

constexpr std::uint64_t sizes[] = {0,  1,   7,   8,    9,    24,   25,   55,    56,    57,
                                   64, 120, 121, 1000, 4096, 8192, 8193, 16256, 30000, 200000};

std::uint64_t runs_for(std::uint64_t bytes) {
  return 20 + 20000 / (bytes + 100);
}

TEST(threads, every_size_both_ways) {
  std::mt19937_64 random(seed());
  for (const std::uint64_t bytes : sizes)
    for (const std::uint64_t back : {bytes, sizes[random() % std::size(sizes)]}) {
      const bool canary = bytes % 3 != 0, unattended = random() % 2;
      line there(shape_for(bytes, true, canary, unattended), random, 1),
          here(shape_for(back, true, canary, unattended), random, 2);
      EXPECT_FALSE(unattended && (there.shape.counted || here.shape.counted));
      std::atomic<std::uint64_t> bad = 0;
      const std::uint64_t runs = runs_for(std::max(bytes, back));
      std::thread other([&] { run_rank({&here}, {&there}, runs, seed() + 1, bad); });
      run_rank({&there}, {&here}, runs, seed(), bad);
      other.join();
      EXPECT_EQ(bad, 0u) << bytes << " B and " << back << " B, SEED=" << seed();
    }
}

TEST(threads, every_size_one_way) {
  std::mt19937_64 random(seed());
  for (const std::uint64_t bytes : sizes)
    for (const bool crowded : {false, true}) {
      line there(shape_for(bytes, false, bytes % 3 != 0, false, crowded), random, 1);
      std::atomic<std::uint64_t> bad = 0;
      const std::uint64_t runs = runs_for(bytes);
      std::thread other([&] { run_rank({}, {&there}, runs, seed() + 1, bad); });
      run_rank({&there}, {}, runs, seed(), bad);
      other.join();
      EXPECT_EQ(bad, 0u) << bytes << " B, crowded " << crowded << ", SEED=" << seed();
    }
}

TEST(threads, a_source_among_more_ranks_than_cores_may_be_further_ahead) {
  for (const std::uint64_t bytes : sizes) {
    const channel_shape usual = shape_for(bytes, false), crowded = shape_for(bytes, false, true, false, true);
    EXPECT_GE(crowded.slots / crowded.pieces, usual.slots / usual.pieces) << bytes;
    EXPECT_EQ(crowded.stride, usual.stride);
    EXPECT_EQ(shape_for(bytes, true, true, false, true).slots, shape_for(bytes, true).slots) << bytes;
  }
  EXPECT_GE(shape_for(4096, false, true, false, true).slots, 32u);
  EXPECT_LE(channel_bytes(shape_for(16384, false, true, false, true)), 640u << 10);
}

/// Into the destination's own memory, or through slots, whichever is better in a run.
TEST(threads, long_messages_are_placed) {
  std::mt19937_64 random(seed());
  for (const std::uint64_t bytes : {std::uint64_t{32768}, std::uint64_t{200001}, std::uint64_t{700000}})
    for (const bool back : {false, true}) {
      channel_shape shape = shape_for(bytes, back);
      shape.placed = true;
      line there(shape, random, 1), here(shape, random, 2);
      std::atomic<std::uint64_t> bad = 0;
      std::vector<line*> forth{&there}, returned;
      if (back)
        returned.push_back(&here);
      std::thread other([&] { run_rank(returned, forth, 60, seed() + 1, bad); });
      run_rank(forth, returned, 60, seed(), bad);
      other.join();
      EXPECT_EQ(bad, 0u) << bytes << " B, SEED=" << seed();
    }
}

/// The destination may read the memory of the source, or from some run on no longer.
TEST(threads, large_messages_with_and_without_permission) {
  std::mt19937_64 random(seed());
  for (const std::uint64_t bytes : {std::uint64_t{1024} * 1024, std::uint64_t{1200001}})
    for (const int readable : {0, 1, 2, 3}) {
      line there(shape_for(bytes, true), random, 1), here(shape_for(bytes, true), random, 2);
      ASSERT_TRUE(there.shape.direct);
      there.readable = readable & 1;
      here.readable = readable & 2;
      std::atomic<std::uint64_t> bad = 0;
      std::thread other([&] { run_rank({&here}, {&there}, 5, seed() + 1, bad); });
      run_rank({&there}, {&here}, 5, seed(), bad);
      other.join();
      EXPECT_EQ(bad, 0u) << bytes << " B, SEED=" << seed();
    }
}

/// A copied message may be handed over before the destination has seen that it is not offered.
TEST(threads, a_source_changes_its_mind_from_run_to_run) {
  std::mt19937_64 random(seed());
  channel_shape shape = shape_for(100, false);
  shape.direct = true;
  line l(shape, random, 1);
  source_channel source = l.make_source();
  destination_channel destination = l.make_destination();
  std::uint64_t direct = 0;
  for (std::uint64_t run = 1; run <= 200; ++run) {
    l.produce(run);
    source.port.far = random() % 2;
    bool sent = source.post();
    EXPECT_EQ(sent, source.port.far) << "run " << run << ", SEED=" << seed();
    destination.post();
    while (!destination.poll() || !sent)
      sent = source.poll();
    EXPECT_EQ(l.wrong(run), 0u) << "run " << run << ", SEED=" << seed();
    EXPECT_EQ(source.direct(), !source.port.far);
    EXPECT_EQ(destination.direct(), source.direct());
    direct += source.direct();
  }
  EXPECT_GT(direct, 50u) << "SEED=" << seed();
  EXPECT_LT(direct, 150u) << "SEED=" << seed();
}

TEST(threads, a_destination_that_is_late_takes_refused_messages) {
  std::mt19937_64 random(seed());
  channel_shape shape = shape_for(100, false);
  shape.direct = true;
  line l(shape, random, 1);
  source_channel source = l.make_source();
  destination_channel destination = l.make_destination();
  for (const std::uint64_t run : {1u, 2u}) {
    l.produce(run);
    source.port.far = true;
    EXPECT_TRUE(source.post());
  }
  source.port.far = false;
  EXPECT_FALSE(source.post()); // offered before the first one has been looked for
  for (const std::uint64_t run : {1u, 2u}) {
    destination.post();
    EXPECT_TRUE(destination.poll());
    EXPECT_FALSE(destination.direct());
    EXPECT_EQ(l.wrong(run), 0u);
  }
  destination.post();
  EXPECT_TRUE(destination.poll());
  EXPECT_TRUE(destination.direct());
  EXPECT_TRUE(source.poll());
}

/// What cores are near or far is the machine's business; that a look sees changes only, is not.
TEST(shared_caches, looks_at_what_has_changed) {
  cache_mark line;
  shared_caches writer, reader;
  writer.show(&line);
  reader.watch(3, &line);
  EXPECT_TRUE(reader.is_used());
  EXPECT_FALSE(shared_caches().is_used());
  EXPECT_FALSE(reader.look()); // never written
  for (int i = 0; i < 5; ++i) {
    writer.mark();
    reader.look();
  }
  EXPECT_FALSE(reader.shares_no_cache(3)); // in this core's own cache
  EXPECT_FALSE(reader.look());
  EXPECT_FALSE(reader.shares_no_cache(4));
  EXPECT_FALSE(reader.look_at(4));
}

TEST(threads, permission_is_taken_away) {
  std::mt19937_64 random(seed());
  const std::uint64_t bytes = 1100000;
  line l(shape_for(bytes, false), random, 1);
  source_channel source = l.make_source();
  destination_channel destination = l.make_destination();
  for (std::uint64_t run = 1; run <= 9; ++run) {
    if (run == 4)
      destination.port.source_process = 0;
    l.produce(run);
    bool sent = source.post(), taken = false;
    destination.post();
    while (!sent || !taken) {
      taken = destination.poll();
      sent = source.poll();
    }
    EXPECT_EQ(l.wrong(run), 0u) << "run " << run;
    EXPECT_EQ(source.direct(), run < 4);
    EXPECT_EQ(destination.direct(), run < 4);
  }
}

TEST(threads, too_many_pieces_are_copied) {
  constexpr std::uint64_t piece = 20000, count = offered_segments + 1;
  std::mt19937_64 random(seed());
  line l(shape_for(piece * count, false), random, 1);
  std::vector<std::byte> bytes(2 * piece * count);
  l.from.clear();
  for (std::uint64_t i = 0; i < count; ++i)
    l.from.push_back({reinterpret_cast<std::uint64_t>(bytes.data()) + 2 * i * piece, piece});
  source_channel source = l.make_source();
  destination_channel destination = l.make_destination();
  for (std::uint64_t run = 1; run <= 3; ++run) {
    l.produce(run);
    bool sent = source.post(), taken = false;
    destination.post();
    while (!sent || !taken) {
      taken = destination.poll();
      sent = source.poll();
    }
    EXPECT_EQ(l.wrong(run), 0u) << "run " << run;
    EXPECT_FALSE(source.direct() || destination.direct());
  }
}

/// A directed ring and a pair inside it: the same ranks have both kinds of flow control.
TEST(threads, four_ranks_with_several_channels) {
  std::mt19937_64 random(seed());
  for (int repetition = 0; repetition < 4; ++repetition) {
    struct edge {
      std::size_t from, to;
    };
    const std::vector<edge> edges{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 0}, {0, 1}};
    std::vector<std::unique_ptr<line>> lines;
    std::vector<std::vector<line*>> out(4), in(4);
    for (const edge& e : edges) {
      const bool reciprocal = e.from + e.to == 1;
      const std::uint64_t bytes = sizes[random() % std::size(sizes)];
      lines.push_back(std::make_unique<line>(shape_for(bytes, reciprocal), random,
                                             static_cast<std::uint32_t>(lines.size())));
      out[e.from].push_back(lines.back().get());
      in[e.to].push_back(lines.back().get());
    }
    std::atomic<std::uint64_t> bad = 0;
    std::vector<std::thread> ranks;
    for (std::size_t r = 0; r < 4; ++r)
      ranks.emplace_back([&, r] { run_rank(out[r], in[r], 40, seed() + r, bad); });
    for (auto& t : ranks)
      t.join();
    EXPECT_EQ(bad, 0u) << "SEED=" << seed();
  }
}

TEST(shapes, small_messages_need_one_line_and_no_acknowledgement) {
  const channel_shape small = shape_for(56, true);
  EXPECT_EQ(small.stride, 64u);
  EXPECT_FALSE(small.counted);
  EXPECT_EQ(shape_for(57, true).stride, 128u);
  EXPECT_EQ(shape_for(8, true, false).stride, 128u) << "without canary";
  EXPECT_EQ(shape_for(64, true, false).stride, 128u) << "without canary";
  for (const auto& [bytes, stride] :
       {std::pair(0u, 8u), {1, 16}, {8, 16}, {9, 32}, {24, 32}, {25, 64}, {56, 64}, {57, 128}}) {
    const channel_shape one_way = shape_for(bytes, false);
    EXPECT_EQ(one_way.stride, stride) << bytes;
    EXPECT_EQ(one_way.slots * one_way.stride, 32 * std::max(64u, stride)) << bytes;
    EXPECT_GE(shape_for(bytes, true).stride, 64u) << "both ways";
    EXPECT_GE(shape_for(bytes, false, false).stride, 64u) << "without canary";
  }
  EXPECT_TRUE(shape_for(8, false).counted);
  EXPECT_TRUE(shape_for(1 << 20, true).counted);
  EXPECT_EQ(shape_for(0, true).pieces, 1u);
}

} // namespace
} // namespace tacit::test
