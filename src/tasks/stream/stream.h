// The stream of a program: buffers and tasks in the order of submission, the same on every rank.
//
// A task says over which range it executes, how that may be split, and which buffers it touches through which mapper. It says
// nothing about ranks: the stream, and all that is derived from it alone, is the same for any number of them.
#pragma once

#include "tasks/mapper/mapper.h"
#include "tasks/space/ids.h"
#include "vocabulary/base/hash.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tacit::tasks {

/// A virtual array over all ranks.
struct buffer {
  std::string name;
  int dims = 1;
  range extent;
  std::size_t element_size = 1;  ///< bytes
  bool host_initialized = false; ///< every rank holds all of it from the start
};

enum class access_mode : std::uint8_t {
  read,
  write, ///< what the kernel does not overwrite stays, so that earlier contents are brought in where there are any
  read_write,    ///<
  discard_write, ///< write, no_init: all of the mapped region is written, nothing is brought in
};
constexpr bool reads(access_mode mode) {
  return mode != access_mode::discard_write;
}
constexpr bool writes(access_mode mode) {
  return mode != access_mode::read;
}

struct access {
  buffer_id buffer{};
  access_mode mode = access_mode::read;
  mapper how;
};

/// Every chunk contributes a partial value for each element of the buffer; the result is their combination.
struct reduction {
  buffer_id buffer{};
  std::uint32_t operation =
      0; ///< which operator, by a number of the caller's; equal numbers, equal operators
  bool include_current =
      false; ///< the value before the task is combined, too (by the rank with the first chunk)
  friend bool operator==(const reduction&, const reduction&) = default;
};

enum class task_kind : std::uint8_t {
  epoch,           ///< the beginning, and every wait: all before comes before all after
  horizon,         ///< added by the runtime now and then: lets what lies before be forgotten
  fence,           ///< every rank gets what the accesses name, for the program that submits
  kernel,          ///< a device kernel, split over ranks
  host,            ///< a host task, split over ranks
  collective_host, ///< a host task that runs once on each rank, with a communicator
};

/// How the execution range is divided among ranks.
enum class split_rule : std::uint8_t {
  one_dim, ///< near-equal, along dimension 0
  two_dim, ///< near-equal, along dimensions 0 and 1, near-square chunks
  none,    ///< one chunk, on rank 0
  per_rank ///< chunk r is [r, r + 1) of dimension 0: the range has one item a rank (collective host tasks, fences)
};

/// A weight for each rank, or none. There may be 65,536 of them, so that copies share them, and those that share them are equal at once.
class rank_weights {
public:
  using shared = std::shared_ptr<const std::vector<std::uint32_t>>;
  rank_weights() = default;
  rank_weights(shared of) : of_(std::move(of)) {}
  rank_weights(std::vector<std::uint32_t> of)
      : of_(std::make_shared<const std::vector<std::uint32_t>>(std::move(of))) {}
  std::span<const std::uint32_t> get() const {
    return of_ ? std::span(*of_) : std::span<const std::uint32_t>();
  }
  friend bool operator==(const rank_weights& a, const rank_weights& b) {
    return a.of_ == b.of_ || std::ranges::equal(a.get(), b.get());
  }

private:
  shared of_;
};

struct geometry {
  int dims = 1;
  box global;        ///< execution range with its offset
  range granularity; ///< chunks begin at multiples of it (work-group size), counted from the offset
  split_rule split = split_rule::one_dim;
  rank_weights weights; ///< along dimension 0; none: equal. Only with one_dim.
  friend bool operator==(const geometry&, const geometry&) = default;
};

struct task {
  task_id id{}; ///< given by submit()
  task_kind kind = task_kind::kernel;
  std::string name;
  geometry
      shape; ///< of collective_host and fence: only dims = 1 and split = per_rank; the range follows from the ranks
  std::vector<access> accesses;
  std::vector<reduction> reductions;
  std::vector<host_object_id>
      host_objects; ///< tasks that name the same object run one after the other, on each rank
  std::uint32_t collective_group =
      0; ///< of collective_host: which communicator; tasks of a group run in order
};

/// Words to be hashed together: one pass over all of them costs a tenth of hashing each.
class hash_input {
public:
  void add(std::uint64_t word) { words_.push_back(word); }
  std::uint64_t value() const { return hash_of(words_.data(), words_.size() * sizeof(std::uint64_t)); }

private:
  std::vector<std::uint64_t> words_;
};

/// Everything about a task or buffer that plans depend on; names count, addresses and the task's number do not. Of a user's functor
/// counts what it answers for the whole range and its first and last item.
std::uint64_t digest(const buffer& b);
std::uint64_t digest(const task& t, const std::vector<buffer>& buffers);

} // namespace tacit::tasks
