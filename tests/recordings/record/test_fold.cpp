// Folding gives back what was folded, in a fraction of the bytes where a program repeats itself.
#include "recordings/meaning/scene.h"
#include "recordings/record/fold.h"
#include "recordings/record/reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace tacit::recording {

using namespace recordings;
namespace {

using testing::scene;
using byte_list = std::vector<std::byte>;

/// The file as a writer would have left it: folded in portions of at most `portion` bytes.
byte_list folded(const byte_list& records, std::size_t portion = 1 << 17) {
  folder fold;
  byte_list file;
  for (std::size_t at = 0; at < records.size();) {
    std::size_t end = at;
    while (end < records.size()) {
      record_header header;
      std::memcpy(&header, records.data() + end, sizeof header);
      if (end > at && end + header.bytes - at > portion)
        break;
      end += header.bytes;
    }
    const auto part = std::span(records).subspan(at, end - at);
    const auto bytes = fold.fold(part);
    const auto written = bytes.empty() ? std::span<const std::byte>(part) : bytes;
    file.insert(file.end(), written.begin(), written.end());
    at = end;
  }
  return file;
}

/// Without what folding does not keep: the upper half of hashes of received data.
byte_list without_long_hashes(byte_list records) {
  for (std::size_t at = 0; at < records.size();) {
    record_header header;
    std::memcpy(&header, records.data() + at, sizeof header);
    if (header.kind == static_cast<std::uint16_t>(record_kind::completion)) {
      completion_record r;
      std::memcpy(&r, records.data() + at, sizeof r);
      r.hash &= 0xffffffff;
      std::memcpy(records.data() + at, &r, sizeof r);
    }
    at += header.bytes;
  }
  return records;
}

byte_list unfolded(const byte_list& file, bool& whole) {
  byte_list records;
  record_cursor cursor(file);
  for (auto one = cursor.next(); !one.empty(); one = cursor.next())
    records.insert(records.end(), one.begin(), one.end());
  whole = cursor.at_end();
  return records;
}

void expect_same(const byte_list& records, std::size_t portion, const std::string& what) {
  bool whole = false;
  EXPECT_EQ(unfolded(folded(records, portion), whole), without_long_hashes(records)) << what;
  EXPECT_TRUE(whole) << what;
}

/// Rounds of everything: blocking and nonblocking messages, both halves at once, forwarded data, collectives. With `random`
/// other partners, sizes and rounds each time.
scene rounds(std::uint32_t count, std::mt19937* random = nullptr) {
  scene s(4);
  const auto pick = [&](std::uint32_t usual, std::uint32_t most) {
    return random ? std::uniform_int_distribution<std::uint32_t>(1, most)(*random) : usual;
  };
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t by = pick(1, 3), bytes = pick(200, 400);
    s.site = 1;
    s.callers = {30, 40};
    s.compute(0, 100, bytes);
    for (std::uint32_t r = 0; r < 3; ++r) { // what rank 0 computed goes through all ranks
      s.send(r, r + 1, 100, bytes);
      s.recv(r + 1, r, 100, bytes);
    }
    s.site = 2;
    s.callers = {31};
    for (std::uint32_t inner = 0; inner < pick(3, 5); ++inner) {
      for (std::uint32_t r = 0; r < 4; ++r) {
        s.compute(r, 1000, 64);
        s.sendrecv_begin(r, (r + by) % 4, 1000, 64);
      }
      for (std::uint32_t r = 0; r < 4; ++r)
        s.sendrecv_end(r, (r + 4 - by) % 4, 3000, 64);
    }
    s.site = 3;
    std::vector<std::vector<std::uint64_t>> requests(4);
    for (std::uint32_t r = 0; r < 4; ++r) {
      requests[r].push_back(s.irecv(r, (r + 4 - by) % 4, 2000, 64, k % 5 == 0));
      requests[r].push_back(s.isend(r, (r + by) % 4, 1000, 64));
    }
    for (std::uint32_t r = 0; r < 4; ++r)
      s.waitall(r, requests[r]);
    s.barrier();
  }
  s.finish();
  return s;
}

TEST(folding, gives_back_every_record) {
  const scene s = rounds(40);
  for (std::uint32_t r = 0; r < 4; ++r)
    for (const std::size_t portion : {std::size_t{200}, std::size_t{5000}, std::size_t{1} << 17})
      expect_same(s.file(r), portion, "rank " + std::to_string(r));
}

TEST(folding, gives_back_every_record_of_random_programs) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    const scene s = rounds(10, &random);
    for (std::uint32_t r = 0; r < 4; ++r)
      expect_same(s.file(r), 1000 + 100 * seed, "seed " + std::to_string(seed));
  }
}

TEST(folding, a_round_costs_little_more_than_what_is_new_in_it) {
  const scene few = rounds(100), many = rounds(1100);
  for (std::uint32_t r = 0; r < 4; ++r) {
    diagnostics problems;
    const auto calls = [&](const scene& s) {
      std::uint64_t count = 0, last = 0;
      const auto one = read_rank(s.file(r), "rank", problems);
      for (const call& c : one->calls)
        count += std::exchange(last, c.begin) != c.begin ? 1 : 0; // two records of a Sendrecv are one call
      return count;
    };
    const std::size_t bytes = folded(many.file(r)).size() - folded(few.file(r)).size();
    const std::uint64_t added = calls(many) - calls(few);
    EXPECT_LE(bytes, 20 * added) << added << " calls of rank " << r;
    EXPECT_GE(many.file(r).size() - few.file(r).size(), 8 * bytes);
  }
}

TEST(folding, tables_that_are_full_are_forgotten_on_both_sides) {
  byte_list records;
  for (std::uint32_t i = 0; i < 60000; ++i) { // every one is new
    site_record s{};
    s.header = {static_cast<std::uint16_t>(record_kind::site), 0, sizeof s};
    s.id = i;
    s.offset = 7 * i;
    const auto* const at = reinterpret_cast<const std::byte*>(&s);
    records.insert(records.end(), at, at + sizeof s);
  }
  expect_same(records, 1 << 17, "sites");
}

TEST(folding, numbers_at_their_limits_survive) {
  byte_list records;
  std::mt19937_64 random(5);
  const auto any = [&] {
    constexpr std::uint64_t limits[] = {0, 1, ~0ull, 1ull << 63, 0xffffffff, 1ull << 32};
    return random() % 2 == 0 ? limits[random() % 6] : random();
  };
  for (int i = 0; i < 3000; ++i) {
    call_record c{};
    c.requests = static_cast<std::uint32_t>(random() % 3);
    c.header = {static_cast<std::uint16_t>(record_kind::call), static_cast<std::uint16_t>(random() % 128),
                static_cast<std::uint32_t>(sizeof c + 8 * c.requests)};
    c.call = static_cast<std::uint16_t>(random() % 100);
    c.begin = any();
    c.end = any();
    c.count = any();
    c.layout = static_cast<std::uint32_t>(random() % 2);
    c.allocation = static_cast<std::uint32_t>(any());
    c.hash = any();
    const auto* at = reinterpret_cast<const std::byte*>(&c);
    records.insert(records.end(), at, at + sizeof c);
    for (std::uint32_t q = 0; q < c.requests; ++q) {
      const std::uint64_t id = any();
      at = reinterpret_cast<const std::byte*>(&id);
      records.insert(records.end(), at, at + 8);
    }
    completion_record d{};
    d.header = {static_cast<std::uint16_t>(record_kind::completion), completion_hash_valid, sizeof d};
    d.request = any();
    d.tick = any();
    d.hash = any();
    at = reinterpret_cast<const std::byte*>(&d);
    records.insert(records.end(), at, at + sizeof d);
    forward_record f{};
    f.header = {static_cast<std::uint16_t>(record_kind::forward), 0, sizeof f};
    f.receive = any();
    at = reinterpret_cast<const std::byte*>(&f);
    records.insert(records.end(), at, at + sizeof f);
    allocation_record a{};
    a.header = {static_cast<std::uint16_t>(record_kind::allocation), 0, sizeof a};
    a.id = static_cast<std::uint32_t>(any());
    at = reinterpret_cast<const std::byte*>(&a);
    records.insert(records.end(), at, at + sizeof a);
  }
  expect_same(records, 1 << 16, "limits");
}

TEST(folding, damaged_files_are_read_as_far_as_they_go) {
  const scene s = rounds(30);
  const byte_list whole = folded(s.file(1), 3000);
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    byte_list file = whole;
    for (int k = 0; k < 3; ++k)
      file[random() % file.size()] = static_cast<std::byte>(random());
    if (i % 4 == 0)
      file.resize(random() % file.size() / 8 * 8);
    diagnostics problems;
    const auto one = read_rank(file, "file", problems);
    EXPECT_TRUE(!one || one->calls.size() <= s.file(1).size());
  }
}

} // namespace
} // namespace tacit::recording
