// The recorder's parts that need no MPI: handle table, content hashes, forwarding table, writer.
#include "interpose/layer/handle_map.h"
#include "interpose/recorder/content.h"
#include "interpose/recorder/forward.h"
#include "interpose/takeover/blocking_trial.h"
#include "recordings.h"
#include "vocabulary/base/hash.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

using namespace tacit;
using namespace tacit::interpose;

namespace {

std::uint64_t address_of(const void* p) {
  return reinterpret_cast<std::uint64_t>(p);
}

owned_run run_of(const unsigned char* p, std::uint64_t length, std::uint32_t allocation = 1) {
  return {{address_of(p), length}, allocation, true};
}

std::vector<std::uint64_t> blocks_of(const unsigned char* p, std::uint64_t length) {
  data_layout bytes;
  bytes.size = 1;
  bytes.extent = 1;
  bytes.known = true;
  bytes.segments = {{0, 1}};
  content_hasher hasher;
  hasher.hash(address_of(p), bytes, length, length);
  return {hasher.blocks().begin(), hasher.blocks().end()};
}

} // namespace

TEST(handle_map, agrees_with_std_map) {
  const unsigned seed = 4711;
  std::mt19937_64 random(seed);
  handle_map<std::uint64_t> ours;
  std::map<std::uint64_t, std::uint64_t> truth;
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t key = (random() % 500) * 0x100000001ull; // many collisions, many deletions
    if (random() % 2) {
      ours[key] = truth[key] = random();
    } else {
      ours.erase(key);
      truth.erase(key);
    }
    const std::uint64_t asked = (random() % 500) * 0x100000001ull;
    const auto found = truth.find(asked);
    const std::uint64_t* value = ours.find(asked);
    ASSERT_EQ(value != nullptr, found != truth.end()) << "seed " << seed << " step " << i;
    if (value) {
      ASSERT_EQ(*value, found->second) << "seed " << seed << " step " << i;
    }
  }
  EXPECT_EQ(ours.size(), truth.size());
}

TEST(content, equal_bytes_hash_alike_however_they_lie) {
  std::vector<unsigned char> scattered(1000), packed;
  for (std::size_t i = 0; i < scattered.size(); ++i)
    scattered[i] = static_cast<unsigned char>(i * 37);
  data_layout pieces;
  pieces.size = 30;
  pieces.extent = 100;
  pieces.known = true;
  pieces.segments = {{50, 20}, {0, 10}}; // out of address order
  for (int element = 0; element < 9; ++element) {
    const auto* at = scattered.data() + 100 * element;
    packed.insert(packed.end(), at + 50, at + 70);
    packed.insert(packed.end(), at, at + 10);
  }
  const std::uint64_t base = address_of(scattered.data());
  data_layout bytes;
  bytes.size = 1;
  bytes.extent = 1;
  bytes.known = true;
  bytes.segments = {{0, 1}};
  content_hasher hasher;
  const auto in_pieces = [&](std::uint64_t length) { return hasher.hash(base, pieces, 9, length); };
  const auto in_one = [&](std::uint64_t length) {
    return hasher.hash(address_of(packed.data()), bytes, length, length);
  };
  EXPECT_EQ(in_pieces(270), in_one(270));
  EXPECT_EQ(in_pieces(47), in_one(47)) << "a short message in a long buffer";
  EXPECT_EQ(in_pieces(0), in_one(0));
  packed[100] ^= 1;
  EXPECT_NE(in_pieces(270), in_one(270));
  packed[100] ^= 1;
  packed[269] ^= 1;
  EXPECT_NE(in_pieces(270), in_one(270)) << "the last block counts";
}

TEST(content, one_changed_byte_changes_the_hash_and_that_of_its_block_alone) {
  constexpr std::uint64_t length = 200'000;
  std::vector<unsigned char> message(length);
  for (std::size_t i = 0; i < length; ++i)
    message[i] = static_cast<unsigned char>(i * 37 ^ i >> 8);
  data_layout bytes;
  bytes.size = bytes.extent = 1;
  bytes.known = true;
  bytes.segments = {{0, 1}};
  content_hasher hasher;
  const auto hash = [&] { return hasher.hash(address_of(message.data()), bytes, length, length); };
  const std::uint64_t whole = hash();
  const std::vector<std::uint64_t> blocks(hasher.blocks().begin(), hasher.blocks().end());
  const std::uint64_t each = content_block_bytes(length);
  ASSERT_EQ(blocks.size(), (length + each - 1) / each);
  ASSERT_LE(blocks.size(), 256u);
  for (const std::uint64_t at : {std::uint64_t{0}, each - 1, each, 77 * each + 5, length - 1}) {
    message[at] ^= 1;
    EXPECT_NE(hash(), whole);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      EXPECT_EQ(hasher.blocks()[i] == blocks[i], i != at / each) << "byte " << at << ", block " << i;
    message[at] ^= 1;
  }
  EXPECT_EQ(hash(), whole);
}

// Ranks of one run may be on different processors.
TEST(content, every_processor_finds_the_same_hash) {
  std::vector<unsigned char> message(5000);
  for (std::size_t i = 0; i < message.size(); ++i)
    message[i] = static_cast<unsigned char>(i * 37 ^ i >> 8);
  for (std::size_t length = 0; length < message.size(); length += length < 600 ? 1 : 97)
    ASSERT_EQ(hash_bytes(message.data(), length), vocabulary::hash_of(message.data(), length)) << length;
}

// Random receives, writes and sends over a small memory; the truth is kept byte by byte. What the table
// reports must be true; with blocks of one byte's worth of change it must also be all there is outside
// changed blocks.
TEST(forwarding, never_claims_what_did_not_happen) {
  const unsigned seed = 99;
  std::mt19937 random(seed);
  std::vector<unsigned char> memory(6000);
  struct origin {
    std::int64_t receive = -1;
    std::uint64_t offset = 0;
    unsigned char value = 0;
  };
  std::vector<origin> truth(memory.size());
  received_table table;
  std::uint64_t reported = 0;
  for (std::uint64_t step = 0; step < 4000; ++step) {
    const std::size_t begin = random() % memory.size();
    const std::size_t length = 1 + random() % std::min<std::size_t>(900, memory.size() - begin);
    switch (random() % 3) {
    case 0: // receive
      for (std::size_t i = 0; i < length; ++i) {
        memory[begin + i] = static_cast<unsigned char>(random());
        truth[begin + i] = {static_cast<std::int64_t>(step), i, memory[begin + i]};
      }
      if (step % 7 == 0)
        table.received_unseen(step, std::vector<owned_run>{run_of(memory.data() + begin, length)});
      else
        table.received(step, std::vector<owned_run>{run_of(memory.data() + begin, length)},
                       blocks_of(memory.data() + begin, length));
      break;
    case 1: // local computation
      for (std::size_t i = 0; i < std::min<std::size_t>(length, 5); ++i)
        memory[begin + i] ^= 0x5a;
      break;
    default: {
      const auto parts = table.forwarded(std::vector<owned_run>{run_of(memory.data() + begin, length)},
                                         blocks_of(memory.data() + begin, length));
      std::uint64_t last_end = 0;
      for (const forwarded_part& p : parts) {
        ASSERT_GE(p.send_offset, last_end) << "parts overlap, seed " << seed;
        last_end = p.send_offset + p.length;
        ASSERT_LE(last_end, length);
        for (std::uint64_t i = 0; i < p.length; ++i) {
          const origin& o = truth[begin + p.send_offset + i];
          ASSERT_EQ(o.receive, static_cast<std::int64_t>(p.receive)) << "seed " << seed << " step " << step;
          ASSERT_NE(o.receive % 7, 0) << "its bytes were not looked at, seed " << seed << " step " << step;
          ASSERT_EQ(o.offset, p.receive_offset + i) << "seed " << seed << " step " << step;
          ASSERT_EQ(o.value, memory[begin + p.send_offset + i]) << "seed " << seed << " step " << step;
        }
        reported += p.length;
      }
      break;
    }
    }
  }
  EXPECT_GT(reported, 10000u) << "the test saw too little forwarding to mean anything";
}

TEST(forwarding, memory_of_another_allocation_is_another_place) {
  std::vector<unsigned char> memory(4096, 1);
  for (std::size_t i = 0; i < memory.size(); ++i)
    memory[i] = static_cast<unsigned char>(i ^ i >> 8);
  received_table table;
  table.received(0, std::vector<owned_run>{run_of(memory.data(), 4096, 1)});
  EXPECT_EQ(table.forwarded(std::vector<owned_run>{run_of(memory.data(), 4096, 1)}).size(), 1u);
  EXPECT_TRUE(table.forwarded(std::vector<owned_run>{run_of(memory.data(), 4096, 2)}).empty());
}

TEST(forwarding, buffers_that_no_send_touches_are_looked_at_once_in_a_while) {
  std::vector<unsigned char> memory(4096);
  for (std::size_t i = 0; i < memory.size(); ++i)
    memory[i] = static_cast<unsigned char>(i ^ i >> 8);
  const std::vector<owned_run> whole{run_of(memory.data(), 1000)}, half{run_of(memory.data() + 500, 500)};
  received_table table;
  std::uint64_t ordinal = 0;
  const auto receive = [&](const std::vector<owned_run>& runs) {
    const bool worth = table.is_worth_hashing(runs);
    worth ? table.received(ordinal, runs) : table.received_unseen(ordinal, runs);
    ++ordinal;
    return worth;
  };
  for (std::uint32_t i = 0; i < 8 * received_table::idle_receives; ++i)
    EXPECT_EQ(receive(whole), i < received_table::idle_receives || i % received_table::idle_receives == 0)
        << i;
  receive(whole); // worth it
  EXPECT_FALSE(receive(whole));
  EXPECT_TRUE(table.touches(half[0].run));
  EXPECT_TRUE(table.forwarded(half).empty()) << "nobody looked at these bytes";
  EXPECT_TRUE(receive(whole)) << "bytes of it were sent";
  ASSERT_EQ(table.forwarded(half).size(), 1u);
  EXPECT_EQ(table.forwarded(half)[0].receive_offset, 500u);
  for (std::uint32_t i = 0; i < 3 * received_table::idle_receives; ++i) {
    EXPECT_TRUE(receive(whole)) << "forwarded each time, " << i;
    EXPECT_EQ(table.forwarded(whole).size(), 1u);
  }
  for (std::uint32_t i = 0; i < 3 * received_table::idle_receives; ++i)
    EXPECT_TRUE(receive({run_of(memory.data(), 1000 + i)})) << "other bytes each time, " << i;
}

TEST(forwarding, constant_bytes_are_marked) {
  std::vector<unsigned char> memory(1024, 0);
  received_table table;
  table.received(0, std::vector<owned_run>{run_of(memory.data(), 1024)});
  const auto parts = table.forwarded(std::vector<owned_run>{run_of(memory.data(), 1024)});
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_TRUE(parts[0].constant);
}

TEST(forwarding, is_bounded) {
  std::vector<unsigned char> memory(1 << 20);
  received_table table;
  for (std::uint64_t i = 0; i < 3 * received_table::max_receives; ++i)
    table.received(i, std::vector<owned_run>{run_of(memory.data() + 64 * (i % 16000), 64)});
  EXPECT_LE(table.intervals(), received_table::max_receives);
  std::vector<owned_run> many;
  for (std::size_t i = 0; i < received_table::max_runs_of_receive; ++i)
    many.push_back(run_of(memory.data() + 128 * i, 8));
  for (std::uint64_t i = 0; i < 20; ++i)
    table.received(1000000 + i, many);
  EXPECT_LE(table.intervals(), received_table::max_intervals);
  EXPECT_FALSE(table.empty());
}

class writing : public ::testing::Test {
protected:
  void SetUp() override {
    folder = (std::filesystem::temp_directory_path() / ("tacit-writer-" + std::to_string(getpid()))).string();
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static recordings::layout_record record(std::uint32_t id) {
    recordings::layout_record r{};
    r.header.kind = static_cast<std::uint16_t>(recordings::record_kind::layout);
    r.id = id;
    return r;
  }
  void expect_ids(std::uint32_t count) {
    const auto seen = tacit::testing::read_recording(folder, 0);
    EXPECT_TRUE(seen.well_formed);
    EXPECT_EQ(seen.records, count);
    EXPECT_EQ(seen.layouts.size(), count);
    if (count > 0) {
      EXPECT_EQ(seen.layouts.rbegin()->first, count - 1);
    }
  }

  std::string folder;
};

TEST_F(writing, everything_is_readable_at_any_moment) {
  recordings::writer out;
  ASSERT_TRUE(out.open(folder, 0)) << out.problem();
  for (std::uint32_t i = 0; i < 20000; ++i) {
    out.append(record(i));
    if (i % 1777 == 0)
      expect_ids(i + 1); // what a reader sees if we were killed now
  }
  expect_ids(20000);
  out.close();
  expect_ids(20000);
  EXPECT_FALSE(std::filesystem::exists(folder + "/rank-00000.tail"));
}

/// The kind of the last record that a reader finds.
recordings::record_kind last_kind(const std::string& path) {
  std::string problem;
  const std::vector<std::byte> bytes = recordings::load_recording(path, problem);
  recordings::record_header header{};
  for (std::size_t at = 0; at < bytes.size(); at += header.bytes)
    std::memcpy(&header, bytes.data() + at, sizeof header);
  return static_cast<recordings::record_kind>(header.kind);
}

TEST_F(writing, a_record_behind_the_newest_gives_way_to_the_next_one) {
  recordings::writer out;
  ASSERT_TRUE(out.open(folder, 0));
  recordings::begun_record begun{};
  begun.header.kind = static_cast<std::uint16_t>(recordings::record_kind::begun);
  const std::string path = folder + "/rank-00000.rec";
  for (std::uint32_t i = 0; i < 20000; ++i) {
    out.put_behind(begun);
    if (i % 1777 == 0) {
      EXPECT_EQ(last_kind(path), recordings::record_kind::begun);
    }
    out.append(record(i));
    if (i % 1777 == 0)
      expect_ids(i + 1);
  }
  out.put_behind(begun);
  out.drop_behind();
  expect_ids(20000);
  out.put_behind(begun);
  out.close();
  expect_ids(20000); // a process that ended in order was in no call
}

TEST_F(writing, records_larger_than_the_buffer) {
  recordings::writer out;
  ASSERT_TRUE(out.open(folder, 0));
  const std::vector<std::byte> body(1 << 20, std::byte{7});
  for (std::uint32_t i = 0; i < 6; ++i) {
    recordings::layout_record r = record(i);
    if (i % 2) {
      r.segments = (1 << 20) / 16;
      out.append(r, body);
    } else {
      out.append(r);
    }
    expect_ids(i + 1);
  }
}

// A program that closes all descriptors and opens files of its own must find in them what it wrote itself.
TEST_F(writing, a_descriptor_that_became_another_file_is_left_alone) {
  recordings::writer out;
  ASSERT_TRUE(out.open(folder, 0));
  out.append(record(0));
  const auto path = folder + "/rank-00000.rec";
  struct stat ours{};
  ASSERT_EQ(stat(path.c_str(), &ours), 0);
  int taken = -1;
  for (int fd = 3; fd < 64 && taken < 0; ++fd) {
    struct stat now{};
    if (fstat(fd, &now) == 0 && now.st_ino == ours.st_ino)
      taken = fd;
  }
  ASSERT_GE(taken, 0);
  const auto other = folder + "/program.txt";
  FILE* file = std::fopen(other.c_str(), "w");
  dup2(fileno(file), taken);
  out.flush();
  EXPECT_FALSE(out.alive());
  EXPECT_FALSE(out.problem().empty());
  EXPECT_GE(fcntl(taken, F_GETFD), 0) << "the program's descriptor was closed";
  EXPECT_EQ(std::filesystem::file_size(other), 0u);
  std::fclose(file);
  ::close(taken);
}

TEST_F(writing, an_existing_recording_is_not_overwritten) {
  {
    recordings::writer out;
    ASSERT_TRUE(out.open(folder, 0));
    out.append(record(0));
  }
  recordings::writer again;
  EXPECT_FALSE(again.open(folder, 0));
  EXPECT_NE(again.problem().find("rank-00000.rec"), std::string::npos) << again.problem();
  again.append(record(1)); // ignored
  expect_ids(1);
}

TEST_F(writing, the_last_record_can_be_changed_in_place) {
  recordings::writer out;
  ASSERT_TRUE(out.open(folder, 0));
  out.append(record(0));
  auto* last = out.last<recordings::layout_record>();
  ASSERT_NE(last, nullptr);
  last->size = 42;
  const auto seen = tacit::testing::read_recording(folder, 0);
  EXPECT_EQ(seen.layouts.at(0).record.size, 42u);
  out.flush();
  EXPECT_EQ(out.last<recordings::layout_record>(), nullptr);
}

namespace {

/// Calls until the next decision, of two ranks whose times are given; how many the library did.
std::uint64_t until_decided(blocking_trial (&ranks)[2], std::uint64_t (*ticks)(int rank, bool library)) {
  for (std::uint64_t by_library = 0;;) {
    const blocking_trial::turn turn = ranks[0].next(), other = ranks[1].next();
    EXPECT_EQ(turn.by_library, other.by_library);
    EXPECT_EQ(turn.decides, other.decides);
    if (turn.decides) {
      const std::uint64_t ours = std::max(ranks[0].ours(), ranks[1].ours());
      const std::uint64_t library = std::max(ranks[0].library(), ranks[1].library());
      const bool first = ranks[0].decide(ours, library).by_library;
      EXPECT_EQ(first, ranks[1].decide(ours, library).by_library);
      return by_library;
    }
    by_library += turn.by_library;
    if (turn.timed)
      for (int rank = 0; rank < 2; ++rank)
        ranks[rank].add(ticks(rank, turn.by_library));
  }
}

constexpr std::uint64_t tried = blocking_trial::blocks / 2 * blocking_trial::block_calls;

} // namespace

TEST(blocking_trial, takes_the_way_whose_slowest_rank_is_faster) {
  blocking_trial ranks[2];
  // On rank 1 the library takes longer than we do: that counts, as its neighbors wait for it.
  EXPECT_EQ(
      until_decided(ranks,
                    [](int rank, bool library) -> std::uint64_t { return library ? 50 + 100 * rank : 100; }),
      tried);
  EXPECT_FALSE(ranks[0].next().by_library);
  EXPECT_FALSE(ranks[1].next().by_library);
}

TEST(blocking_trial, changes_its_mind_at_the_next_trial_and_has_few) {
  blocking_trial ranks[2];
  until_decided(ranks, [](int, bool library) -> std::uint64_t { return library ? 80 : 100; });
  const std::uint64_t so_far = blocking_trial::first_trial + 2 * tried + 1;
  const std::uint64_t by_library =
      until_decided(ranks, [](int, bool library) -> std::uint64_t { return library ? 120 : 100; });
  EXPECT_EQ(by_library, (blocking_trial::between - 1) * so_far + tried);
  EXPECT_FALSE(ranks[0].next().by_library);
}

TEST(blocking_trial, leaves_to_us_what_is_alike_where_we_save_messages_and_to_the_library_elsewhere) {
  for (const bool saves : {true, false})
    for (const std::uint64_t library : {990u, 1010u}) {
      blocking_trial ranks[2];
      for (blocking_trial& rank : ranks)
        rank.saves_messages(saves);
      until_decided(ranks, [](int, bool) -> std::uint64_t { return 0; });
      EXPECT_EQ(ranks[0].decide(1000, library).by_library, !saves);
    }
}

TEST(blocking_trial, counts_calls_that_nobody_asked_for_as_those_that_are_asked_for) {
  const unsigned seed = 4711;
  std::mt19937 random(seed);
  blocking_trial asked, passed;
  std::uint64_t came = 0, left = 0, calls = 0;
  for (int i = 0; i < 40000; ++i) {
    if (left > 0 && random() % 8 != 0) { // now and then a call is shown all the same
      --left;
      EXPECT_TRUE(asked.next().by_library) << "seed " << seed << ", call " << i;
      ++calls;
      continue;
    }
    const blocking_trial::turn of_asked = asked.next();
    came += passed.settle(left);
    const blocking_trial::turn of_passed = passed.next();
    EXPECT_EQ(of_asked.by_library, of_passed.by_library) << "seed " << seed << ", call " << i;
    EXPECT_EQ(of_asked.timed, of_passed.timed) << "seed " << seed << ", call " << i;
    ASSERT_EQ(of_asked.decides, of_passed.decides) << "seed " << seed << ", call " << i;
    if (of_asked.decides) {
      asked.decide(100, 80);
      left = passed.decide(100, 80).unseen;
    } else
      left = of_passed.unseen;
  }
  came += passed.settle(left);
  EXPECT_EQ(came, calls);
  EXPECT_GT(calls, 20000u);
}
