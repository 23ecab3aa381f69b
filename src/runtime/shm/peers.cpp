#include "runtime/shm/peers.h"

#include "runtime/channel/pieces.h"
#include "runtime/mpi/await.h"
#include "runtime/mpi/library_quirks.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/tags.h"
#include "runtime/run/message_survey.h"
#include "runtime/run/pack.h"
#include "runtime/run/progress.h"
#include "vocabulary/base/launched.h"
#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>

namespace tacit::runtime {
namespace {

/// Channels of different sources in different pairs of lines: cores fetch lines in pairs.
constexpr std::size_t channel_alignment = 128;

std::size_t round_up(std::size_t offset, std::size_t unit) {
  return (offset + unit - 1) / unit * unit;
}

/// How such a message travels depends on the distance between the cores.
bool is_large(const planned_message& m) {
  return m.bytes > most_cached;
}

bool user_wants(std::string_view what) {
  return given(setting::shm) == what;
}

const channel_location* find(const std::vector<planned_message>& messages,
                             const std::vector<channel_location>& locations, int tag) {
  const auto found = std::lower_bound(messages.begin(), messages.end(), tag,
                                      [](const planned_message& m, int t) { return m.tag < t; });
  if (found == messages.end() || found->tag != tag)
    return nullptr;
  return &locations[static_cast<std::size_t>(found - messages.begin())];
}

/// While this rank waits for a message: other schedules, then other processes. A peer that runs answers
/// within some 20 us; one that does not may need this core, if there are more ranks than cores. Else who
/// yields gives time slices to other programs: with 16 of them, connecting took 4 ms instead of 60 us.
void let_others_run(int& rounds) {
  static const bool core_each = launched_ranks_here() && !launched_more_ranks_than_cores();
  progress_under_way();
  if (++rounds > (core_each ? 5000 : 100))
    offer_core();
}

/// Instead of being read by the destination.
void be_placed(channel_shape& shape) {
  shape.direct = false;
  shape.placed = true;
}

/// In the first lines of its memory a rank says whether it has given its core away.
template <typename Part>
std::atomic<std::uint32_t>* absence_in(const Part& part) {
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  return reinterpret_cast<std::atomic<std::uint32_t>*>(part.at(0));
}

} // namespace

std::uint64_t longest_in_memory(bool unattended) {
  if (ranks_are_simulated || user_wants("off"))
    return 0;
  return unattended ? longest_without_acknowledgement() : std::numeric_limits<std::uint64_t>::max();
}

source_channel make_source(const channel_location& location, std::span<const graphs::segment> bytes) {
  source_port port(location.shape, location.memory, {bytes.begin(), bytes.end()});
  port.targets = location.targets;
  return {location.shape, std::move(port)};
}

destination_channel make_destination(const channel_location& location,
                                     std::span<const graphs::segment> bytes) {
  destination_port port(location.shape, location.memory, first_bytes(bytes, location.shape.bytes));
  port.source_process = location.source_process;
  return {location.shape, std::move(port)};
}

shm_peers::shm_peers(const program& p, MPI_Comm comm, bool may_place)
    : comm_(comm), rank_(p.rank), tag_(highest_tag(comm)), unattended_(p.unattended), canary_(p.canary) {
  message_survey survey = survey_messages(p, comm);
  for (auto& [rank, list] : survey.out)
    peers_[rank].out = std::move(list);
  for (auto& [rank, list] : survey.in)
    peers_[rank].in = std::move(list);
  requests_.reserve(peers_.size());
  if (may_place && !unattended_)
    find_rooms(p);
}

void shm_peers::find_rooms(const program& p) {
  const auto is_shared = [](const graphs::segment& piece) {
    return find_shared(piece.address, piece.length);
  };
  for (const graphs::step& s : p.plan.steps)
    if (s.kind == graphs::step_kind::recv && graphs::total_length(s.writes) >= least_placed_far &&
        graphs::total_length(s.writes) >= least_placed_piece * s.writes.size() &&
        std::all_of(s.writes.begin(), s.writes.end(), is_shared))
      rooms_[{static_cast<int>(index(s.peer)), s.tag}].assign(s.writes.begin(), s.writes.end());
}

/// Where a message of which the size is known now is received; empty if it is not placed.
std::vector<shared_location> shm_peers::room_for(int from, const planned_message& m) const {
  std::vector<shared_location> room;
  const auto found = rooms_.find({from, m.tag});
  if (found == rooms_.end() || m.bytes < least_placed_far)
    return room;
  for (const graphs::segment& piece : first_bytes(found->second, m.bytes))
    room.push_back(find_shared(piece.address, piece.length).value());
  return room;
}

template <typename Work>
void shm_peers::attempt(Work&& work) {
  try {
    if (!failure_)
      work();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

template <typename Make, typename Take>
void shm_peers::exchange(Make&& make, Take&& take) {
  requests_.clear();
  for (auto& [rank, each] : peers_) {
    each.message.clear();
    attempt([&] { each.message = make(each); });
    if (failure_)
      each.message.clear();
    send(rank, each.message);
  }
  for (auto& [rank, each] : peers_) {
    const bytes message = receive(rank);
    if (!message.empty())
      attempt([&] { take(rank, each, message); });
  }
  await_sends();
}

void shm_peers::send(int rank, const bytes& message) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code =
      MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, rank, tag_, comm_, &request);
  attempt([&] { check_mpi(code, "MPI_Isend"); });
  requests_.push_back(request);
}

/// The message of this round; empty if the peer has failed, or this rank cannot take it.
shm_peers::bytes shm_peers::receive(int rank) {
  MPI_Status status;
  int there = 0, code = MPI_SUCCESS, size = 0;
  for (int rounds = 0; code == MPI_SUCCESS && !there;) {
    code = MPI_Iprobe(rank, tag_, comm_, &there, &status);
    if (!there)
      let_others_run(rounds);
  }
  bytes message;
  attempt([&] {
    check_mpi(code, "MPI_Iprobe");
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
    message.resize(static_cast<std::size_t>(size));
  });
  if (failure_) {
    // Without memory for it, or after an error, the message is received and cut off: its sender waits for that. Not by a request, the
    // error of which MPICH gives to MPI_COMM_WORLD.
    MPI_Recv(nullptr, 0, MPI_BYTE, rank, tag_, comm_, MPI_STATUS_IGNORE);
    return {};
  }
  MPI_Request request = MPI_REQUEST_NULL;
  code = MPI_Irecv(message.data(), size, MPI_BYTE, rank, tag_, comm_, &request);
  await_all({&request, 1}, code);
  attempt([&] { check_mpi(code, "MPI_Irecv"); });
  return message;
}

/// What is long is there only when its sender is in MPI again.
void shm_peers::await_all(std::span<MPI_Request> requests, int& code) {
  int all = 0;
  for (int rounds = 0; code == MPI_SUCCESS && !all;) {
    code = MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
    if (!all)
      let_others_run(rounds);
  }
}

void shm_peers::await_sends() {
  int code = MPI_SUCCESS;
  await_all(requests_, code);
  attempt([&] { check_mpi(code, "MPI_Testall"); });
}

shm_peers::bytes shm_peers::hello(const peer& to, const process_identity& me, const cpu_set_t& cores) const {
  packer out;
  out.put(me);
  out.put(cores);
  out.put(unattended_);
  out.put(canary_);
  out.put(launched_more_ranks_than_cores());
  out.put_text(refusal_);
  out.put_list(to.out);
  return out.take();
}

void shm_peers::take_hello(int rank, peer& from, const bytes& message, const process_identity& me) {
  unpacker in(message);
  from.process = in.get<process_identity>();
  from.cores = in.get<cpu_set_t>();
  from.unattended = in.get<bool>() || unattended_;
  from.canary = in.get<bool>() && canary_;
  from.crowded = in.get<bool>() && launched_more_ranks_than_cores();
  const std::string theirs = in.get_text();
  const auto sent = in.get_list<planned_message>();
  from.why_not = refusal_;
  if (from.why_not.empty())
    from.why_not = theirs;
  if (from.why_not.empty())
    from.why_not = apart(me, from.process);
  check_sizes(rank, from, sent);
  if (from.unattended && from.why_not.empty())
    check_attendance(from);
}

channel_shape shm_peers::shape_of(const peer& each, const planned_message& m) {
  const bool reciprocal = !each.in.empty() && !each.out.empty();
  return shape_for(m.bytes, reciprocal, each.canary, each.unattended, each.crowded);
}

/// Without acknowledgements all of a message is in its slots when a run starts (protocol.h): the peer never
/// waits for this rank again, nor this rank for the peer to read. Both ends know the same sizes.
void shm_peers::check_attendance(peer& each) {
  for (const auto* list : {&each.out, &each.in})
    for (const planned_message& m : *list)
      if (const channel_shape shape = shape_of(each, m); shape.counted)
        each.why_not = shape.reciprocal ? "messages too long to be handed over at once"
                                        : "messages in one direction only";
}

/// A receive may be longer than its message, as in MPI. An error is thrown at the end, when nobody waits.
void shm_peers::check_sizes(int rank, peer& from, const std::vector<planned_message>& sent) {
  const auto mismatch = [&](const std::string& text) {
    if (error_.empty())
      error_ =
          fmt::format("rank {} sends to rank {} {}: both sides must give the same counts", rank, rank_, text);
  };
  if (sent.size() != from.in.size())
    mismatch(fmt::format("{} messages, but {} are expected", sent.size(), from.in.size()));
  for (std::size_t i = 0; i < std::min(sent.size(), from.in.size()); ++i) {
    if (sent[i].tag != from.in[i].tag)
      mismatch(fmt::format("a message with tag {}, but tag {} is expected", sent[i].tag, from.in[i].tag));
    else if (sent[i].bytes > from.in[i].bytes)
      mismatch(fmt::format("{} B, but {} B are expected", sent[i].bytes, from.in[i].bytes));
  }
  from.in = sent; // so that an error does not keep this rank from answering
}

void shm_peers::make_memory() {
  std::size_t end = channel_alignment; // after absence_in
  std::vector<std::pair<channel_location*, std::size_t>> offsets;
  std::vector<std::pair<peer*, std::size_t>> marks;
  for (auto& [rank, each] : peers_) {
    if (!each.why_not.empty())
      continue;
    if (std::any_of(each.in.begin(), each.in.end(), is_large)) {
      marks.emplace_back(&each, round_up(end, alignof(cache_mark)));
      end = marks.back().second + sizeof(cache_mark);
    }
    for (const planned_message& m : each.out)
      each.out_locations.push_back({shape_of(each, m), nullptr, 0, {}});
    for (const planned_message& m : each.in) {
      each.in_rooms.push_back(each.unattended ? std::vector<shared_location>() : room_for(rank, m));
      each.in_locations.push_back({shape_of(each, m), nullptr, 0, {}});
      if (!each.in_rooms.back().empty())
        be_placed(each.in_locations.back().shape);
    }
    for (channel_location& location : each.in_locations) {
      offsets.emplace_back(&location, end);
      end = round_up(end + channel_bytes(location.shape), channel_alignment);
    }
  }
  const bool somebody_here = std::any_of(peers_.begin(), peers_.end(),
                                         [](const auto& entry) { return entry.second.why_not.empty(); });
  if (offsets.empty() && !(oversubscribed_ && somebody_here))
    return;
  refusal_ = mine_.take(end);
  if (!refusal_.empty())
    return;
  absence_ = absence_in(mine_);
  for (const auto& [location, offset] : offsets)
    location->memory = mine_.at(offset);
  for (const auto& [to, offset] : marks) {
    to->mark = new (mine_.at(offset)) cache_mark;
    distances_.show(to->mark);
  }
}

shm_peers::bytes shm_peers::memory_for(const peer& to) {
  const std::string& why_not = to.why_not.empty() ? refusal_ : to.why_not;
  packer out;
  out.put_list(loans_to_return(to.process));
  out.put_text(why_not);
  if (!why_not.empty())
    return out.take();
  out.put(mine_ ? mine_.show() : part_address{});
  out.put(word_);
  std::vector<std::uint64_t> offsets;
  for (const channel_location& location : to.in_locations)
    offsets.push_back(static_cast<std::uint64_t>(location.memory - mine_.at(0)));
  out.put_list(offsets);
  for (const auto& room : to.in_rooms)
    out.put_list(room);
  out.put<std::uint64_t>(
      to.mark ? static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(to.mark) - mine_.at(0)) : 0);
  return out.take();
}

void shm_peers::take_memory(int rank, peer& from, const bytes& message) {
  unpacker in(message);
  take_back(in.get_list<std::uint64_t>());
  const std::string theirs = in.get_text();
  if (from.why_not.empty())
    from.why_not = theirs;
  if (!theirs.empty())
    return;
  const auto where = in.get<part_address>();
  from.theirs = shown_part(from.process, where);
  if (!from.why_not.empty())
    return;
  const auto word = in.get<readable_word>();
  read_directly(from, word);
  const auto offsets = in.get_list<std::uint64_t>();
  if (!from.out.empty() || (oversubscribed_ && where.bytes > 0)) {
    const std::string trouble = from.theirs.open();
    if (trouble.empty())
      from.absence = absence_in(from.theirs);
    else if (!from.out.empty())
      from.why_not = trouble;
  }
  if (!from.why_not.empty())
    return;
  for (std::size_t i = 0; i < from.out_locations.size(); ++i)
    from.out_locations[i].memory = from.theirs.at(offsets.at(i));
  from.why_not = take_targets(from, in);
  if (!from.why_not.empty())
    return;
  if (const auto mark = in.get<std::uint64_t>(); mark > 0)
    distances_.watch(rank, reinterpret_cast<const cache_mark*>(from.theirs.at(mark)));
}

/// Where the peer receives what this rank may write there. Empty, or why that memory cannot be opened.
std::string shm_peers::take_targets(peer& from, unpacker& in) {
  for (std::size_t i = 0; i < from.out_locations.size(); ++i) {
    channel_location& location = from.out_locations[i];
    for (const shared_location& piece : in.get_list<shared_location>()) {
      auto& buffer = buffers_[piece.region.secret];
      std::string why;
      if (!buffer)
        buffer = open_buffer(from.process, piece.region, why);
      if (!buffer)
        return why;
      location.targets.push_back({reinterpret_cast<std::uint64_t>(buffer->at(piece.offset)), piece.bytes});
    }
    if (!location.targets.empty())
      be_placed(location.shape);
  }
  return {};
}

/// Whether the large messages of this peer can be read where they are. If not, the channel refuses them, and
/// its source copies.
void shm_peers::read_directly(peer& from, const readable_word& word) {
  const auto direct = [](const channel_location& location) { return location.shape.direct; };
  if (std::none_of(from.in_locations.begin(), from.in_locations.end(), direct))
    return;
  from.why_not_direct = user_wants("copy") ? "TACIT_SHM=copy" : why_not_readable(from.process, word);
  for (channel_location& location : from.in_locations)
    location.source_process = from.why_not_direct->empty() ? from.process.pid : 0;
}

shm_peers::bytes shm_peers::answer_to(const peer& to) const {
  packer out;
  out.put_text(to.why_not.empty() ? refusal_ : to.why_not);
  return out.take();
}

void shm_peers::take_answer(int rank, peer& from, const bytes& message) {
  distances_.look_at(rank);
  const std::string theirs = unpacker(message).get_text();
  if (from.why_not.empty())
    from.why_not = theirs.empty() ? refusal_ : theirs;
}

/// More ranks than cores, as far as this rank can see: among its peers, or by what the launcher says.
void shm_peers::count_cores(const cpu_set_t& mine) {
  cpu_set_t all = mine;
  int ranks = 1;
  for (const auto& [rank, each] : peers_)
    if (apart(this_process(), each.process) != "another host") {
      CPU_OR(&all, &all, &each.cores);
      ++ranks;
    }
  oversubscribed_ = ranks > CPU_COUNT(&all) || launched_more_ranks_than_cores();
}

void shm_peers::create() {
  process_identity me{};
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  attempt([&] {
    me = this_process();
    refusal_ = user_wants("off") ? "TACIT_SHM=off" : "";
    word_ = make_readable(readable_, me);
  });
  exchange([&](const peer& to) { return hello(to, me, cores); },
           [&](int rank, peer& from, const bytes& message) { take_hello(rank, from, message, me); });
  attempt([&] {
    count_cores(cores);
    make_memory();
  });
  exchange([&](const peer& to) { return memory_for(to); },
           [&](int rank, peer& from, const bytes& message) { take_memory(rank, from, message); });
  distances_.mark();
  exchange([&](const peer& to) { return answer_to(to); },
           [&](int rank, peer& from, const bytes& message) { take_answer(rank, from, message); });
  mine_.all_have_opened();
  if (failure_)
    std::rethrow_exception(failure_);
  if (!error_.empty())
    throw mpi_error(MPI_ERR_TRUNCATE, error_);
}

const channel_location* shm_peers::outgoing(int to, int tag) const {
  const auto found = peers_.find(to);
  if (found == peers_.end() || !found->second.why_not.empty())
    return nullptr;
  return find(found->second.out, found->second.out_locations, tag);
}

const channel_location* shm_peers::incoming(int from, int tag) const {
  const auto found = peers_.find(from);
  if (found == peers_.end() || !found->second.why_not.empty())
    return nullptr;
  return find(found->second.in, found->second.in_locations, tag);
}

std::string shm_peers::describe() const {
  std::size_t sharing = 0;
  std::map<std::string, std::size_t> others;
  for (const auto& [rank, each] : peers_)
    ++(each.why_not.empty() ? sharing : others[each.why_not]);
  std::string text = fmt::format("{} of {} peers through shared memory", sharing, peers_.size());
  for (const auto& [why, count] : others)
    text += fmt::format(", {} by messages ({})", count, why);
  std::size_t placed = 0;
  for (const auto& [rank, each] : peers_)
    if (each.why_not.empty())
      placed +=
          static_cast<std::size_t>(std::count_if(each.in_locations.begin(), each.in_locations.end(),
                                                 [](const channel_location& p) { return p.shape.placed; }));
  if (placed > 0)
    text += fmt::format("; {} messages may be written where they are received", placed);
  std::map<std::string, std::size_t> copied;
  for (const auto& [rank, each] : peers_)
    if (each.why_not.empty() && each.why_not_direct && !each.why_not_direct->empty())
      ++copied[*each.why_not_direct];
  for (const auto& [why, count] : copied)
    text += fmt::format("; large messages of {} are copied twice ({})", count, why);
  return text;
}

} // namespace tacit::runtime
