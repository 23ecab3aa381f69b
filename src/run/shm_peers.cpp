#include "run/shm_peers.h"

#include "run/lower.h"
#include "run/mpi_error.h"
#include "run/pack.h"
#include "run/progress.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

namespace tacit {
namespace {

/// Channels of different sources in different pairs of lines: cores fetch lines in pairs.
constexpr std::size_t channel_alignment = 128;

std::size_t aligned(std::size_t offset) {
  return (offset + channel_alignment - 1) / channel_alignment * channel_alignment;
}

/// Lowers a program only to see its messages.
class message_survey : public lowering {
public:
  message_survey(const program& p, MPI_Comm comm) : lowering(p, comm) {}
  std::map<int, std::vector<shm_message>> out, in;

private:
  task_span collective(const step& s) override { return direct(s); }
  task_span send(const std::vector<segment>& bytes, int to, int tag) override {
    out[to].push_back({tag, total_length(bytes)});
    return nothing();
  }
  task_span recv(const std::vector<segment>& bytes, int from, int tag) override {
    in[from].push_back({tag, total_length(bytes)});
    return nothing();
  }
  task_span nothing() {
    const task_id id = tasks_.add_local([] {});
    return {{id}, {id}};
  }
};

void sort_by_tag(std::vector<shm_message>& list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const shm_message& a, const shm_message& b) { return a.tag < b.tag; });
}

/// The highest tag: messages of plans stay below it (tags_fit).
int highest_tag(MPI_Comm comm) {
  int* limit = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, &limit, &found);
  return found ? *limit : 32767;
}

std::string forbidden_by_user() {
  const char* value = std::getenv("TACIT_SHM");
  return value && std::string_view(value) == "off" ? "TACIT_SHM=off" : "";
}

const channel_place* find(const std::vector<shm_message>& messages, const std::vector<channel_place>& places,
                          int tag) {
  const auto found = std::lower_bound(messages.begin(), messages.end(), tag,
                                      [](const shm_message& m, int t) { return m.tag < t; });
  if (found == messages.end() || found->tag != tag)
    return nullptr;
  return &places[static_cast<std::size_t>(found - messages.begin())];
}

/// While this rank waits for a message: other schedules, then other processes. A peer that runs answers
/// within some 20 us; one that does not may need this core.
void let_others_run(int& rounds) {
  progress_under_way();
  if (++rounds > 100)
    std::this_thread::yield();
}

/// Ranks of this job on this host, if the launcher says so; else 0.
int local_ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"})
    if (const char* value = std::getenv(name))
      return std::atoi(value);
  return 0;
}

} // namespace

source_channel make_source(const channel_place& place, const std::vector<segment>& bytes) {
  return {place.shape, source_port(place.shape, place.slots, place.acknowledgement, bytes)};
}

destination_channel make_destination(const channel_place& place, const std::vector<segment>& bytes) {
  std::vector<segment> filled;
  std::uint64_t left = place.shape.bytes;
  for (const segment& s : bytes) {
    if (left == 0)
      break;
    filled.push_back({s.address, std::min(s.length, left)});
    left -= filled.back().length;
  }
  return {place.shape, destination_port(place.shape, place.slots, place.acknowledgement, std::move(filled))};
}

shm_peers::shm_peers(const program& p, MPI_Comm comm) : comm_(comm), rank_(p.rank), tag_(highest_tag(comm)) {
  message_survey survey(p, comm);
  survey.run();
  for (auto& [rank, list] : survey.out)
    peers_[rank].out = std::move(list);
  for (auto& [rank, list] : survey.in)
    peers_[rank].in = std::move(list);
  for (auto& [rank, each] : peers_) {
    sort_by_tag(each.out);
    sort_by_tag(each.in);
  }
}

template <typename Wanted, typename Make, typename Take>
void shm_peers::exchange(Wanted&& wanted, Make&& make, Take&& take) {
  std::vector<bytes> messages;
  std::vector<MPI_Request> requests;
  int rounds = 0;
  messages.reserve(peers_.size());
  requests.reserve(peers_.size());
  for (auto& [rank, each] : peers_) {
    if (!wanted(each))
      continue;
    const bytes& message = messages.emplace_back(make(each));
    check_mpi(MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, rank, tag_, comm_,
                        &requests.emplace_back()),
              "MPI_Isend");
  }
  for (auto& [rank, each] : peers_) {
    if (!wanted(each))
      continue;
    MPI_Status status;
    for (int there = 0; !there;) {
      check_mpi(MPI_Iprobe(rank, tag_, comm_, &there, &status), "MPI_Iprobe");
      if (!there)
        let_others_run(rounds);
    }
    int size = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
    bytes message(static_cast<std::size_t>(size));
    check_mpi(MPI_Recv(message.data(), size, MPI_BYTE, rank, tag_, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
    take(rank, each, message);
  }
  for (int all = 0; !all;) {
    check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE),
              "MPI_Testall");
    if (!all)
      let_others_run(rounds);
  }
}

shm_peers::bytes shm_peers::hello(const peer& to, const process_identity& me, const cpu_set_t& cores) const {
  packer out;
  out.put(me);
  out.put(cores);
  out.put_text(refusal_);
  out.put_list(to.out);
  return out.take();
}

void shm_peers::take_hello(int rank, peer& from, const bytes& message, const process_identity& me) {
  unpacker in(message);
  from.process = in.get<process_identity>();
  from.cores = in.get<cpu_set_t>();
  const std::string theirs = in.get_text();
  const auto sent = in.get_list<shm_message>();
  from.why_not = refusal_;
  if (from.why_not.empty())
    from.why_not = theirs;
  if (from.why_not.empty())
    from.why_not = apart(me, from.process);
  check_sizes(rank, from, sent);
}

/// A receive may be longer than its message, as in MPI. An error is thrown at the end, when nobody waits.
void shm_peers::check_sizes(int rank, peer& from, const std::vector<shm_message>& sent) {
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
  std::size_t end = region_header;
  std::vector<std::pair<channel_place*, std::size_t>> offsets;
  for (auto& [rank, each] : peers_) {
    if (!each.why_not.empty())
      continue;
    const bool reciprocal = !each.in.empty() && !each.out.empty();
    for (const shm_message& m : each.out)
      each.out_places.push_back({shape_for(m.bytes, reciprocal), nullptr, nullptr});
    for (const shm_message& m : each.in)
      each.in_places.push_back({shape_for(m.bytes, reciprocal), nullptr, nullptr});
    for (channel_place& place : each.in_places) {
      offsets.emplace_back(&place, end);
      end = aligned(end + slot_bytes(place.shape) + cache_line);
    }
  }
  if (offsets.empty())
    return;
  refusal_ = mine_.make(end);
  if (!refusal_.empty())
    return;
  for (const auto& [place, offset] : offsets) {
    place->slots = mine_.at(offset);
    place->acknowledgement = reinterpret_cast<std::uint64_t*>(mine_.at(offset + slot_bytes(place->shape)));
  }
}

shm_peers::bytes shm_peers::memory_for(const peer& to) const {
  packer out;
  out.put_text(refusal_);
  out.put(mine_.address());
  std::vector<std::uint64_t> offsets;
  if (refusal_.empty())
    for (const channel_place& place : to.in_places)
      offsets.push_back(static_cast<std::uint64_t>(place.slots - mine_.at(0)));
  out.put_list(offsets);
  return out.take();
}

void shm_peers::take_memory(peer& from, const bytes& message) {
  unpacker in(message);
  from.why_not = in.get_text();
  const auto where = in.get<region_address>();
  const auto offsets = in.get_list<std::uint64_t>();
  if (!from.why_not.empty() || from.out.empty())
    return;
  from.why_not = from.theirs.open(from.process, where);
  if (!from.why_not.empty())
    return;
  for (std::size_t i = 0; i < from.out_places.size(); ++i) {
    channel_place& place = from.out_places[i];
    place.slots = from.theirs.at(offsets.at(i));
    place.acknowledgement = reinterpret_cast<std::uint64_t*>(place.slots + slot_bytes(place.shape));
  }
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
  oversubscribed_ = ranks > CPU_COUNT(&all) || local_ranks() > sysconf(_SC_NPROCESSORS_ONLN);
}

void shm_peers::create() {
  const process_identity me = this_process();
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  refusal_ = forbidden_by_user();
  exchange([](const peer&) { return true; }, [&](const peer& to) { return hello(to, me, cores); },
           [&](int rank, peer& from, const bytes& message) { take_hello(rank, from, message, me); });
  count_cores(cores);
  make_memory();
  std::map<const peer*, bool> candidates;
  for (const auto& [rank, each] : peers_)
    candidates[&each] = each.why_not.empty();
  const auto shares = [&](const peer& p) { return candidates.at(&p); };
  exchange(
      shares, [&](const peer& to) { return memory_for(to); },
      [](int, peer& from, const bytes& message) { take_memory(from, message); });
  for (auto& [rank, each] : peers_)
    if (each.why_not.empty())
      each.why_not = refusal_;
  std::map<const peer*, std::string> verdicts; // one's own, before the peer's changes it
  for (const auto& [rank, each] : peers_)
    verdicts[&each] = each.why_not;
  exchange(
      shares,
      [&](const peer& to) {
        packer out;
        out.put_text(verdicts.at(&to));
        return out.take();
      },
      [](int, peer& from, const bytes& message) {
        const std::string theirs = unpacker(message).get_text();
        if (from.why_not.empty())
          from.why_not = theirs;
      });
  mine_.close_descriptor();
  if (!error_.empty())
    throw mpi_error(MPI_ERR_TRUNCATE, error_);
}

const channel_place* shm_peers::outgoing(int to, int tag) const {
  const auto found = peers_.find(to);
  if (found == peers_.end() || !found->second.why_not.empty())
    return nullptr;
  return find(found->second.out, found->second.out_places, tag);
}

const channel_place* shm_peers::incoming(int from, int tag) const {
  const auto found = peers_.find(from);
  if (found == peers_.end() || !found->second.why_not.empty())
    return nullptr;
  return find(found->second.in, found->second.in_places, tag);
}

std::string shm_peers::describe() const {
  std::size_t sharing = 0;
  std::map<std::string, std::size_t> others;
  for (const auto& [rank, each] : peers_)
    ++(each.why_not.empty() ? sharing : others[each.why_not]);
  std::string text = fmt::format("{} of {} peers through shared memory", sharing, peers_.size());
  for (const auto& [why, count] : others)
    text += fmt::format(", {} by messages ({})", count, why);
  return text;
}

} // namespace tacit
