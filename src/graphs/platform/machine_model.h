// What a machine's communication costs, as measured by `tacit platform`: the parameters of LogGP (Culler and
// others 1993; Alexandrov and others 1995) per message size, and those of its shared memory and of its
// windows.
//
// All times are nanoseconds between two ranks of one host (or of two hosts, if the model says so). Every time
// is a spread: median and quartiles of many samples, because a single number hides how noisy a machine is.
//
//     one way     half a round trip: from the call of send until the receive has returned
//     send, o_s   the sender's core is busy in MPI_Isend
//     receive,o_r the receiver's core is busy completing a message that has arrived
//     gap         from message to message in a stream to one receiver; bytes / gap is the bandwidth
//     latency, L  what neither core sees: one way - o_s - o_r of the smallest message
//
// The text form is JSON, made for people to read; `parse_model` takes nothing that it does not understand, so
// a damaged or foreign file is an error with a reason and never a wrong number.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::graphs {

/// Raised whenever the meaning of a model's numbers changes: older files are measured anew.
inline constexpr int model_format = 1;

/// A measured time in nanoseconds: how its samples are spread.
struct spread {
  double low = 0, median = 0, high = 0; ///< quartiles: 25 %, 50 %, 75 % of the samples
  friend bool operator==(const spread&, const spread&) = default;
};

/// Of samples in any order; at least one.
spread spread_of(std::vector<double> samples);

struct message_times {
  std::uint64_t bytes = 0;
  spread one_way, send, receive, gap;
  spread exchange; ///< one each way at the same time; zero if it was not measured, as by earlier versions
  friend bool operator==(const message_times&, const message_times&) = default;
};

struct memory_cost {
  std::uint64_t bytes = 0;
  spread copy;    ///< memcpy of bytes that this core has just written
  spread fetch;   ///< memcpy of bytes that the other core has just written
  spread fill;    ///< memcpy into memory that the other core has just read; zero if it was not measured
  spread combine; ///< MPI_Reduce_local of integers of 64 bits that this core has just copied; zero: likewise
  friend bool operator==(const memory_cost&, const memory_cost&) = default;
};

/// A message through a channel of ours in shared memory (runtime/channel), written before and read behind it. Copies of its bytes do not add
/// up to that: both cores are busy with the same lines.
struct channel_time {
  std::uint64_t bytes = 0;
  spread one_way;  ///< from the beginning of the send until the receive is complete
  spread exchange; ///< one each way at the same time
  friend bool operator==(const channel_time&, const channel_time&) = default;
};

struct put_cost {
  std::uint64_t bytes = 0;
  spread put_flush; ///< MPI_Put and MPI_Win_flush
  friend bool operator==(const put_cost&, const put_cost&) = default;
};

/// What part of a put costs its process no time.
struct put_overlap {
  spread call;     ///< of MPI_Put of a small piece, until it returns
  spread progress; ///< per cent of a large put that moves while both processes compute
  bool measured() const { return call.median > 0; }
  friend bool operator==(const put_overlap&, const put_overlap&) = default;
};

/// Many operations on elements of 8 bytes that do not lie side by side: the time of each, until all are flushed.
struct one_sided_rate {
  spread single;    ///< one MPI call for each
  spread coalesced; ///< one for some hundred, with the datatype that it needs
  bool measured() const { return single.median > 0 && coalesced.median > 0; }
  friend bool operator==(const one_sided_rate&, const one_sided_rate&) = default;
};

/// Two ranks, by what joins them: each class of pairs has prices of its own.
enum class pair_class : std::uint8_t {
  same_node,   ///< they share memory and, as far as is known, a cache
  other_cache, ///< they share memory and no cache
  other_node,  ///< a network is between them
};

enum class window_model : std::uint8_t { none, separate, unified };
std::string_view name(window_model w);

/// What a model was measured on. A model of another machine says nothing about this one.
struct machine_identity {
  std::string host, cpu;
  int cores = 0;
  std::string mpi; ///< "Open MPI v4.1.4", "MPICH 4.0.2"
  friend bool operator==(const machine_identity&, const machine_identity&) = default;
};

struct machine_model {
  machine_identity machine;
  bool one_host = true;    ///< both ranks were on the same host
  bool one_cache = true;   ///< and, as far as is known, their cores share a cache
  std::string measured;    ///< day, "2026-11-21"; empty: the documented defaults
  double core_share = 100; ///< per cent of a core that each rank got: less than all if the machine was busy
  std::vector<message_times> messages;
  std::uint64_t eager_limit = 0; ///< bytes: the largest send found to complete before its receive is posted
  bool eager_always = false;     ///< also the largest message tried did
  spread flag; ///< a cache line written by one core until the other one sees it; 0: no memory shared
  std::vector<memory_cost> memory;
  std::vector<channel_time> channels; ///< empty: not measured, as by earlier versions
  window_model window = window_model::none;
  std::vector<put_cost> puts;
  put_overlap put_meanwhile; ///< not measured: likewise
  one_sided_rate put_rate, get_rate,
      accumulate_rate; ///< not measured: by earlier versions, or there are no windows
  spread progress;     ///< per cent of a large message that moves while its receiver computes

  double latency() const; ///< L
  pair_class between() const {
    return !one_host ? pair_class::other_node : one_cache ? pair_class::same_node : pair_class::other_cache;
  }
  bool busy() const { return core_share < 70; }
};
bool operator==(const machine_model& a, const machine_model& b);

/// Values between measured sizes are interpolated, beyond them continued with the last slope; never negative.
double one_way_at(const machine_model& m, double bytes);
double send_at(const machine_model& m, double bytes);
double receive_at(const machine_model& m, double bytes);
double gap_at(const machine_model& m, double bytes);
/// 0 in models without it.
double exchange_at(const machine_model& m, double bytes);
double copy_at(const machine_model& m, double bytes);
double fetch_at(const machine_model& m, double bytes);
/// That of a copy in models without it.
double fill_at(const machine_model& m, double bytes);
/// 0 in models without it.
double combine_at(const machine_model& m, double bytes);
double put_at(const machine_model& m, double bytes);
/// Of models with channels.
double channel_at(const machine_model& m, double bytes);
double channel_exchange_at(const machine_model& m, double bytes);

/// Used where nothing has been measured: a server core of 2020 and an MPI over shared memory, rounded. Listed
/// in docs/platform.md.
const machine_model& default_model();

/// What is wrong with the text of a model; one sentence.
struct model_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string text_of(const machine_model& m);
/// Throws model_error. Accepts exactly what text_of writes, in any order.
machine_model parse_model(std::string_view text);

} // namespace tacit::graphs
