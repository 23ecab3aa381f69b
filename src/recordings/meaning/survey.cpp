#include "recordings/meaning/survey.h"

#include "recordings/meaning/calls.h"
#include "recordings/meaning/names.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tacit::recordings {

run_survey::run_survey() : names(std::make_unique<run_names>(totals)) {}
run_survey::~run_survey() = default;

namespace {

/// What all halves of one kind share.
struct half_kind {
  std::uint32_t comm = 0, from = 0, to = 0;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint32_t path = 0;
  bool bytes_known = false, hashed = false, wildcard = false;
  bool operator==(const half_kind&) const = default;
};
struct hash_of_kind {
  std::size_t operator()(const half_kind& k) const {
    std::uint64_t h = 0;
    for (const std::uint64_t word :
         {std::uint64_t{k.comm}, std::uint64_t{k.from} << 32 | k.to,
          std::uint64_t(static_cast<std::uint32_t>(k.tag)), k.bytes,
          std::uint64_t{k.path} << 3 | k.bytes_known << 2 | k.hashed << 1 | k.wildcard})
      h = (h ^ word) * 0x9e3779b97f4a7c15u + (h >> 29);
    return h;
  }
};

struct half {
  std::uint32_t kind = none; ///< none: took no message
  std::uint32_t call = 0;
  std::uint32_t closed_by = none; ///< call in which it completed
  std::uint32_t hash = 0;         ///< lower half
  std::uint32_t context = 0;      ///< what the rank did before, and this
  float seconds = 0;
};

/// The halves of one side, in order of posting for each rank.
struct half_list {
  std::vector<half> all;
  std::vector<half_kind> kinds;
  std::unordered_map<half_kind, std::uint32_t, hash_of_kind> ids;
  std::uint32_t kind_of(const half_kind& k) {
    const auto [at, is_new] = ids.try_emplace(k, static_cast<std::uint32_t>(kinds.size()));
    if (is_new)
      kinds.push_back(k);
    return at->second;
  }
};

/// Both sides of a run, and the times of the sends.
struct halves {
  half_list sends, receives;
  std::vector<std::int64_t> sent_at;
  std::unordered_map<std::uint64_t, std::uint32_t> contexts; ///< numbers, by hash
};

std::int64_t time_of(const rank_recording& r, std::uint64_t tick, std::int64_t first_unix_ns) {
  const auto ticks = static_cast<double>(static_cast<std::int64_t>(tick - r.start_tick));
  return r.start_unix_ns - first_unix_ns + static_cast<std::int64_t>(ticks * r.seconds_per_tick * 1e9);
}

std::int64_t first_start(const recording_set& recorded) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const rank_recording& r : recorded.recordings)
    first = std::min(first, r.start_unix_ns);
  return first;
}

/// Walks through the calls of one rank: what `matcher` (messages.cpp) does with a recording that is there, done with
/// one that passes by.
class rank_surveyor : public record_sink {
public:
  rank_surveyor(message_table& totals, run_names& names, halves& found)
      : totals_(totals), names_(names), found_(found) {}
  std::uint32_t calls() const { return calls_; }

  void take(const rank_recording& r, const call& c, std::span<const std::uint64_t> requests) override {
    if (!of_) {
      names_.world(r.size);
      rank_ = rank(r);
      of_.emplace(names_, r);
    }
    if (group_.empty() || c.begin != head_.begin || c.id != head_.id)
      begin_call(r, c);
    const call_class kind = class_of(c);
    if (kind == call_class::collective_init || kind == call_class::neighbor_init)
      for (const std::uint64_t id : requests)
        note_persistent(r, c, id);
    work w;
    if ((c.flags & call_failed) == 0)
      w = half_of(r, c, kind, requests);
    if (w.is == work::what::nothing && is_collective(kind) && c.comm != none)
      w = {.is = work::what::collective, .total = &total_of(c)};
    const bool posts = is_posting(kind) || kind == call_class::icollective || kind == call_class::ineighbor;
    if (posts && !requests.empty() && requests[0] != 0)
      open_[requests[0]] = w;
    if (kind == call_class::complete)
      for (const std::uint64_t id : requests)
        if (const auto at = open_.find(id); at != open_.end())
          group_.push_back(at->second);
    if (kind != call_class::complete)
      group_.push_back(w);
    last_ = w;
    note_context(c, kind, w);
    if (is_collective(head_kind_) && head_.comm != none)
      add_bytes(r, c);
    ++calls_;
  }

  void take(const rank_recording& r, const completion& done) override {
    work w = last_;
    if (done.request != 0) {
      const auto at = open_.find(done.request);
      if (at == open_.end())
        return;
      w = at->second;
      open_.erase(at);
    }
    if (w.is == work::what::receives)
      complete(r, w, done);
    else if (w.is == work::what::sends)
      found_.sends.all[w.index].closed_by = calls_ - 1;
  }

  /// The recording has ended.
  void end(const rank_recording& r) {
    if (of_) {
      end_call(r);
      // A receive that never completed took what came, if it said from whom.
      for (const auto& [index, p] : posted_)
        if (p.wildcard || p.from == none || p.from == not_in_world)
          ++totals_.unmatched_receives;
        else
          found_.receives.all[index].kind = found_.receives.kind_of({.comm = p.comm,
                                                                     .from = p.from,
                                                                     .to = rank(r),
                                                                     .tag = p.tag,
                                                                     .path = p.path,
                                                                     .wildcard = false});
    }
  }

private:
  /// What the time in a call is spent on.
  struct work {
    enum class what : std::uint8_t { nothing, sends, receives, collective } is = what::nothing;
    std::uint32_t index = 0; ///< of the half
    collective_total* total = nullptr;
  };
  /// A receive until it completes.
  struct posted_receive {
    std::uint32_t comm, from, path;
    std::int32_t tag;
    bool wildcard;
    std::uint32_t local_comm;
  };

  static std::uint32_t rank(const rank_recording& r) { return static_cast<std::uint32_t>(index(r.rank)); }

  static std::uint32_t world_rank(const rank_recording& r, std::uint32_t comm, std::int32_t peer) {
    if (peer < 0 || r.communicators[comm].inter ||
        static_cast<std::size_t>(peer) >= r.communicators[comm].members.size())
      return none;
    return r.communicators[comm].members[static_cast<std::size_t>(peer)];
  }

  collective_total& total_of(const call& c) {
    const call_row* row = find_call(c.id);
    const std::uint16_t blocking = row->twin == mpi_call::none ? c.id : static_cast<std::uint16_t>(row->twin);
    return totals_.collectives[{blocking, of_->groups()[c.comm]}];
  }

  work half_of(const rank_recording& r, const call& c, call_class kind,
               std::span<const std::uint64_t> requests) {
    const side which = side_of(kind, c.part);
    if (which == side::neither || c.peer == peer_null || c.comm == none)
      return {};
    if (const auto init =
            persistent_.find(kind == call_class::start && requests.size() > 1 ? requests[1] : 0);
        init != persistent_.end())
      return started(init->second);
    const std::uint32_t peer = world_rank(r, c.comm, c.peer), path = of_->path_of(c);
    if (which == side::sends) {
      if (peer == none || peer == not_in_world) {
        ++totals_.unmatched_sends;
        return {};
      }
      half_kind k{.comm = of_->groups()[c.comm], .from = rank(r), .to = peer, .tag = c.tag, .path = path};
      if (c.layout != none && (c.count == 0 || r.layouts[c.layout].size <= ~0ull / c.count)) {
        k.bytes = r.layouts[c.layout].size * c.count;
        k.bytes_known = true;
      }
      k.hashed = (c.flags & call_hash_valid) != 0;
      found_.sends.all.push_back(
          {.kind = found_.sends.kind_of(k), .call = calls_, .hash = static_cast<std::uint32_t>(c.hash)});
      found_.sent_at.push_back(static_cast<std::int64_t>(c.begin)); // ticks: the first start is not known yet
      return {.is = work::what::sends, .index = static_cast<std::uint32_t>(found_.sends.all.size() - 1)};
    }
    const auto index = static_cast<std::uint32_t>(found_.receives.all.size());
    found_.receives.all.push_back({.call = calls_});
    posted_[index] = {.comm = of_->groups()[c.comm],
                      .from = peer,
                      .path = path,
                      .tag = c.tag,
                      .wildcard = c.peer == peer_any || c.tag == any_tag,
                      .local_comm = c.comm};
    return {.is = work::what::receives, .index = index};
  }

  /// A collective that is started again and again.
  struct persistent_collective {
    call init; ///< its first record
    std::uint64_t bytes = 0;
  };
  void note_persistent(const rank_recording& r, const call& c, std::uint64_t request) {
    persistent_collective& p = persistent_.try_emplace(request, persistent_collective{c}).first->second;
    if (c.comm != none)
      p.bytes += contributed_bytes(r, p.init, c);
  }
  work started(const persistent_collective& p) {
    if (p.init.comm == none)
      return {};
    collective_total& total = total_of(p.init);
    ++total.calls;
    total.bytes += p.bytes;
    return {.is = work::what::collective, .total = &total};
  }

  void complete(const rank_recording& r, const work& w, const completion& done) {
    const auto at = posted_.find(w.index);
    if (at == posted_.end())
      return;
    const posted_receive p = at->second;
    posted_.erase(at);
    if ((done.flags & (completion_cancelled | completion_failed)) != 0) {
      ++((done.flags & completion_cancelled) != 0 ? totals_.cancelled : totals_.unmatched_receives);
      return;
    }
    if (done.source == peer_null)
      return;
    const std::uint32_t from = world_rank(r, p.local_comm, done.source);
    if (from == none || from == not_in_world) {
      ++totals_.unmatched_receives;
      return;
    }
    half& h = found_.receives.all[w.index];
    h.closed_by = calls_ - 1;
    h.hash = static_cast<std::uint32_t>(done.hash);
    h.kind = found_.receives.kind_of(
        {.comm = p.comm,
         .from = from,
         .to = rank(r),
         .tag = done.tag,
         .bytes = done.bytes,
         .path = p.path,
         .bytes_known = true,
         .hashed = (done.flags & completion_hash_valid) != 0,
         .wildcard = p.wildcard || (done.flags & (completion_any_source | completion_any_tag)) != 0});
  }

  void begin_call(const rank_recording& r, const call& c) {
    end_call(r);
    head_ = c;
    head_kind_ = class_of(c);
    begun_ = true;
    if (is_collective(head_kind_) && c.comm != none)
      ++total_of(c).calls;
  }

  /// All records of a call have come: its time is shared among what it worked for.
  void end_call(const rank_recording& r) {
    const std::vector<work> group = std::exchange(group_, {});
    if (!std::exchange(begun_, false) || head_kind_ == call_class::init ||
        head_kind_ == call_class::finalize || head_kind_ == call_class::abort)
      return;
    const call_time t = time_in(head_, head_kind_, r.seconds_per_tick);
    totals_.calls += t.calls;
    totals_.communication_seconds += t.seconds;
    const std::uint32_t path = of_->path_of(head_), where = totals_.paths[path].location;
    totals_.path_seconds[path] += t.seconds;
    totals_.location_seconds[where] += t.seconds;
    totals_.location_calls[where] += t.calls;
    if (head_kind_ == call_class::unknown || (head_.flags & call_unknown) != 0)
      ++totals_.unmodelled[head_.id], totals_.unmodelled_seconds += t.seconds;
    if (group.empty())
      totals_.other_seconds += t.seconds;
    for (const work& w : group)
      charge(w, t.seconds / static_cast<double>(group.size()));
  }

  void charge(const work& w, double seconds) {
    switch (w.is) {
    case work::what::sends:
      found_.sends.all[w.index].seconds += static_cast<float>(seconds);
      return;
    case work::what::receives:
      found_.receives.all[w.index].seconds += static_cast<float>(seconds);
      return;
    case work::what::collective:
      w.total->seconds += seconds;
      return;
    case work::what::nothing:
      totals_.other_seconds += seconds;
      return;
    }
  }

  /// A message is new if what came before it on its rank is: the same messages in another order mean something else.
  void note_context(const call& c, call_class kind, const work& w) {
    const bool is_half = w.is == work::what::sends || w.is == work::what::receives;
    if (!is_half && !is_collective(kind))
      return;
    const auto mix = [](std::uint64_t a, std::uint64_t b) {
      return (a ^ b) * 0x9e3779b97f4a7c15u + (a >> 29);
    };
    const auto peer = static_cast<std::uint32_t>(c.peer), tag = static_cast<std::uint32_t>(c.tag);
    std::uint64_t now = mix(of_->path_of(c), std::uint64_t{peer} << 32 | tag);
    now = mix(mix(now, std::uint64_t{c.comm} << 16 | c.part), c.count);
    const std::uint64_t context = mix(mix(rank_, std::exchange(before_, now)), now);
    if (!is_half)
      return;
    const auto number = static_cast<std::uint32_t>(found_.contexts.size());
    half_list& list = w.is == work::what::sends ? found_.sends : found_.receives;
    list.all[w.index].context = found_.contexts.try_emplace(context, number).first->second;
  }

  void add_bytes(const rank_recording& r, const call& c) {
    if (const std::uint64_t bytes = contributed_bytes(r, head_, c))
      total_of(head_).bytes += bytes;
  }

  message_table& totals_;
  run_names& names_;
  halves& found_;
  std::optional<rank_names> of_;
  std::unordered_map<std::uint64_t, work> open_;                        ///< by request
  std::unordered_map<std::uint64_t, persistent_collective> persistent_; ///< by request of the _init call
  std::map<std::uint32_t, posted_receive> posted_;                      ///< by half
  std::vector<work> group_;                                             ///< of the records of one call
  call head_;
  call_class head_kind_ = call_class::local;
  bool begun_ = false;
  work last_; ///< of the last record
  std::uint32_t calls_ = 0;
  std::uint64_t before_ = 0; ///< what the rank did before
  std::uint64_t rank_ = 0;
};

/// A message by its two halves.
struct pair_of_halves {
  std::uint32_t send = 0, receive = 0;
  std::uint32_t kind = 0; ///< class, as a number
  bool consistent = true;
};

/// Positions in a list by channel, those of one channel in order of posting. Both lists get the same channels.
struct by_channel {
  using channel = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t>;

  by_channel(const half_list& a, const half_list& b) {
    for (const half_list* list : {&a, &b})
      for (const half_kind& k : list->kinds)
        numbers_.try_emplace({k.comm, k.from, k.to, k.tag}, 0);
    std::uint32_t next = 0;
    for (auto& [which, number] : numbers_)
      number = next++;
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(numbers_.size()); }

  /// `first` gets where each channel begins, and the end.
  std::vector<std::uint32_t> sort(const half_list& list, std::vector<std::uint32_t>& first) const {
    std::vector<std::uint32_t> channel_of;
    for (const half_kind& k : list.kinds)
      channel_of.push_back(numbers_.at({k.comm, k.from, k.to, k.tag}));
    first.assign(numbers_.size() + 1, 0);
    for (const half& h : list.all)
      if (h.kind != none)
        ++first[channel_of[h.kind] + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::uint32_t> order(first.back()), next(first.begin(), first.end() - 1);
    for (std::uint32_t i = 0; i < list.all.size(); ++i)
      if (list.all[i].kind != none)
        order[next[channel_of[list.all[i].kind]]++] = i;
    return order;
  }

private:
  std::map<channel, std::uint32_t> numbers_;
};

/// Pairs halves, sums up classes, and finds out what is novel.
class sampler {
public:
  sampler(run_survey& out, const halves& found, const recording_set& recorded, const survey_options& options)
      : out_(out), found_(found), recorded_(recorded), options_(options) {}

  /// False if keeping everything is no more.
  bool run() {
    pair();
    const std::size_t n = pairs_.size();
    in_time_.resize(n);
    std::iota(in_time_.begin(), in_time_.end(), 0u);
    std::stable_sort(in_time_.begin(), in_time_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return sent_at(a) < sent_at(b); });
    for (std::uint32_t novelty = options_.novelty; novelty >= 4; novelty /= 2)
      if (find_windows(novelty) <= n / 8)
        return true;
    return find_windows(4) <= n / 2 || n == 0;
  }

  /// For each rank: calls that are halves of messages, and of those the ones that are kept, with the calls that
  /// complete them.
  struct marks {
    std::vector<bool> halves, kept;
  };
  std::vector<marks> mark_calls(std::span<const std::uint32_t> calls_of_rank,
                                std::span<const std::uint32_t> recording_of_rank) const {
    std::vector<marks> all(calls_of_rank.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].halves.resize(calls_of_rank[i]);
      all[i].kept.resize(calls_of_rank[i]);
    }
    for (std::uint32_t m = 0; m < pairs_.size(); ++m) {
      const half &s = found_.sends.all[pairs_[m].send], &v = found_.receives.all[pairs_[m].receive];
      const half_kind& k = found_.sends.kinds[s.kind];
      const bool keep = is_kept(sent_at(m));
      const auto set = [&](std::uint32_t rank, const half& h) {
        marks& of = all[recording_of_rank[rank]];
        of.halves[h.call] = true;
        if (!keep)
          return;
        of.kept[h.call] = true;
        if (h.closed_by != none)
          of.kept[h.closed_by] = true;
      };
      set(k.from, s);
      set(k.to, v);
    }
    return all;
  }

  bool is_kept(std::int64_t time) const {
    const auto after = std::upper_bound(out_.windows.begin(), out_.windows.end(), time,
                                        [](std::int64_t t, const kept_window& w) { return t < w.begin; });
    return after != out_.windows.begin() && time <= std::prev(after)->end;
  }

private:
  std::int64_t sent_at(std::uint32_t m) const { return found_.sent_at[pairs_[m].send]; }

  void pair() {
    const by_channel channels(found_.sends, found_.receives);
    std::vector<std::uint32_t> first_send, first_receive;
    const std::vector<std::uint32_t> sends = channels.sort(found_.sends, first_send);
    const std::vector<std::uint32_t> receives = channels.sort(found_.receives, first_receive);
    std::unordered_map<std::uint64_t, std::uint32_t> known; // kinds of both halves → class
    pairs_.reserve(std::min(sends.size(), receives.size()));
    for (std::uint32_t c = 0; c < channels.count(); ++c) {
      const std::uint32_t s = first_send[c + 1] - first_send[c], v = first_receive[c + 1] - first_receive[c];
      for (std::uint32_t i = 0; i < std::min(s, v); ++i)
        add(sends[first_send[c] + i], receives[first_receive[c] + i], known);
      for (std::uint32_t i = v; i < s; ++i)
        leave(found_.sends.all[sends[first_send[c] + i]], out_.totals.unmatched_sends);
      for (std::uint32_t i = s; i < v; ++i)
        leave(found_.receives.all[receives[first_receive[c] + i]], out_.totals.unmatched_receives);
    }
    for (const half& h : found_.receives.all) // cancelled, or from nobody
      if (h.kind == none)
        out_.totals.other_seconds += static_cast<double>(h.seconds);
  }

  void leave(const half& h, std::uint64_t& count) {
    ++count;
    out_.totals.other_seconds += static_cast<double>(h.seconds);
  }

  void add(std::uint32_t send, std::uint32_t receive,
           std::unordered_map<std::uint64_t, std::uint32_t>& known) {
    const half &s = found_.sends.all[send], &v = found_.receives.all[receive];
    const half_kind &sent = found_.sends.kinds[s.kind], &got = found_.receives.kinds[v.kind];
    const auto [at, is_new] =
        known.try_emplace(std::uint64_t{s.kind} << 32 | v.kind, static_cast<std::uint32_t>(totals_.size()));
    if (is_new) {
      const message_class key{
          sent.comm, sent.from, sent.to,     sent.tag, got.bytes_known ? got.bytes : sent.bytes,
          sent.path, got.path,  got.wildcard};
      totals_.push_back(&out_.classes[key]);
    }
    totals_[at->second]->messages += 1;
    totals_[at->second]->seconds += static_cast<double>(s.seconds) + static_cast<double>(v.seconds);
    const bool lengths_differ = sent.bytes_known && got.bytes_known && sent.bytes != got.bytes;
    const bool hashes_differ = v.closed_by != none && sent.hashed && got.hashed && s.hash != v.hash;
    pairs_.push_back({send, receive, at->second, v.closed_by == none || !(lengths_differ || hashes_differ)});
  }

  /// The windows around novel messages; how many messages they hold.
  std::size_t find_windows(std::uint32_t novelty) {
    const std::size_t n = in_time_.size();
    const std::size_t before = 256,
                      longest_round = std::max<std::size_t>(2048, std::size_t{32} * recorded_.ranks);
    struct span_of {
      std::size_t begin, first, edge, end;
    };
    std::vector<span_of> spans;
    std::vector<std::uint32_t> count(found_.contexts.size(), 0);
    std::vector<std::size_t> last(found_.contexts.size(), 0);
    for (std::size_t at = 0; at < n; ++at) {
      const pair_of_halves& m = pairs_[in_time_[at]];
      bool novel = !m.consistent;
      std::size_t round = 64;
      for (const std::uint32_t context :
           {found_.sends.all[m.send].context, found_.receives.all[m.receive].context}) {
        novel = novel || count[context] < novelty;
        if (count[context] > 0)
          round = std::max(round, std::min(at - last[context], longest_round));
        ++count[context];
        last[context] = at;
      }
      if (!novel)
        continue;
      const span_of now{at < before ? 0 : at - before, at, at + 2 * round, at + 4 * round};
      if (!spans.empty() && now.begin <= spans.back().end) {
        spans.back().edge = std::max(spans.back().edge, now.edge);
        spans.back().end = std::max(spans.back().end, now.end);
      } else {
        spans.push_back(now);
      }
    }
    constexpr auto forever = std::numeric_limits<std::int64_t>::max();
    std::size_t kept = 0;
    out_.windows.clear();
    for (const span_of& s : spans) {
      kept += std::min(s.end, n - 1) - s.begin + 1;
      kept_window w;
      w.begin = s.begin == 0 ? -forever : sent_at(in_time_[s.begin]);
      w.first = s.begin == 0 ? -forever : sent_at(in_time_[s.first]);
      w.edge = s.end >= n - 1 ? forever : sent_at(in_time_[s.edge]);
      w.steady = s.end >= n - 1 ? forever : sent_at(in_time_[s.edge - (s.edge - s.begin) / 4]);
      w.end = s.end >= n - 1 ? forever : sent_at(in_time_[s.end]);
      out_.windows.push_back(w);
    }
    return kept;
  }

  run_survey& out_;
  const halves& found_;
  const recording_set& recorded_;
  const survey_options& options_;
  std::vector<pair_of_halves> pairs_;
  std::vector<class_total*> totals_;
  std::vector<std::uint32_t> in_time_; ///< messages
};

/// Calls that only their numbers and times are known of, if no message near them is kept.
bool is_left_out(call_class kind) {
  switch (kind) {
  case call_class::collective:
  case call_class::icollective:
  case call_class::neighbor:
  case call_class::ineighbor:
  case call_class::complete:
  case call_class::probe:
  case call_class::mprobe:
  case call_class::unknown:
  case call_class::local:
  case call_class::cancel:
  case call_class::request_free:
  case call_class::request_query:
    return true;
  default:
    return is_posting(kind);
  }
}

} // namespace

surveyed_run read_run(std::span<const recording_file> files, diagnostics& problems,
                      const survey_options& options) {
  surveyed_run run;
  std::uint64_t records = 0;
  for (const recording_file& file : files) {
    std::string ignored;
    records += count_records(file.load(ignored));
  }
  const auto read_all = [&] {
    run.survey.reset();
    run.recorded = read_files(files, problems, options.progress,
                              [](std::size_t, std::span<const std::byte> bytes, const std::string& name,
                                 diagnostics& found) { return read_rank(bytes, name, found); });
    return std::move(run);
  };
  if (records < options.smallest)
    return read_all();

  run.survey = std::make_unique<run_survey>();
  halves found;
  diagnostics found_first; // all of it comes again
  std::vector<std::uint32_t> calls(files.size(), 0);
  std::vector<std::pair<std::size_t, std::size_t>> sends(files.size()); // of each file, in `found`
  const recording_set all = read_files(
      files, found_first, options.progress,
      [&](std::size_t i, std::span<const std::byte> bytes, const std::string& name, diagnostics& told) {
        sends[i].first = found.sends.all.size();
        rank_surveyor survey(run.survey->totals, *run.survey->names, found);
        auto one = read_rank(bytes, name, told, {.sink = &survey, .keep = {}});
        if (one)
          survey.end(*one);
        calls[i] = survey.calls();
        sends[i].second = found.sends.all.size();
        return one;
      });
  const std::size_t read = static_cast<std::size_t>(
      std::count_if(calls.begin(), calls.end(), [](std::uint32_t n) { return n > 0; }));
  if (all.recordings.size() != files.size() || read != files.size())
    return read_all(); // files that do not belong together: they say so there
  const std::int64_t first = first_start(all);
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t s = sends[i].first; s < sends[i].second; ++s)
      found.sent_at[s] = time_of(all.recordings[i], static_cast<std::uint64_t>(found.sent_at[s]), first);
  sampler sample(*run.survey, found, all, options);
  if (!sample.run())
    return read_all();
  std::vector<std::uint32_t> file_of_rank(all.ranks, none);
  for (std::uint32_t i = 0; i < all.recordings.size(); ++i)
    file_of_rank[index(all.recordings[i].rank)] = i;
  const auto marks = sample.mark_calls(calls, file_of_rank);
  found = {};
  run.recorded = read_files(
      files, problems, options.progress,
      [&](std::size_t i, std::span<const std::byte> bytes, const std::string& name, diagnostics& told) {
        const auto keep = [&, i](const rank_recording& r, std::uint64_t number, const call& c) {
          if (marks[i].kept[number] || number + 1 == calls[i])
            return true;
          return !marks[i].halves[number] &&
                 (!is_left_out(class_of(c)) || sample.is_kept(time_of(r, c.begin, first)));
        };
        return read_rank(bytes, name, told, {.sink = nullptr, .keep = keep});
      });
  return run;
}

namespace {

class weigher {
public:
  weigher(const recording_set& recorded, message_table& table, const run_survey& survey)
      : recorded_(recorded), table_(table), survey_(survey), first_(first_start(recorded)) {}

  regrouped run(regrouped found) {
    for (message& m : table_.messages) {
      m.window = window_of(m);
      m.times = 0;
    }
    count_classes(found.episodes);
    regrouped now = without_edges(std::move(found));
    choose_stand_ins(now.episodes);
    estimate(now.episodes);
    share_out(now);
    return now;
  }

private:
  std::int64_t sent_at(const message& m) const {
    const rank_recording& r = recorded_.recordings[table_.recording_of_rank[m.from]];
    return time_of(r, r.calls[m.send_call].begin, first_);
  }
  std::uint32_t window_of(const message& m) const {
    const auto after = std::upper_bound(survey_.windows.begin(), survey_.windows.end(), sent_at(m),
                                        [](std::int64_t t, const kept_window& w) { return t < w.begin; });
    return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(0, after - survey_.windows.begin() - 1));
  }
  message_class class_of_message(const message& m) const {
    return {m.comm,
            m.from,
            m.to,
            m.tag,
            m.bytes,
            table_.of_recording[table_.recording_of_rank[m.from]].path_of_call[m.send_call],
            table_.of_recording[table_.recording_of_rank[m.to]].path_of_call[m.recv_call],
            m.wildcard};
  }
  /// One of message_class, with what is known of it.
  struct known_class {
    class_total total;
    std::uint64_t examples = 0;
    bool steady = false; ///< there are steady examples
    std::uint64_t missing() const { return total.messages - examples; }
  };

  void count_classes(const episode_list& episodes) {
    std::map<message_class, std::uint32_t> numbers;
    class_of_.assign(table_.messages.size(), none);
    for (const std::uint32_t id : episodes.messages) {
      const message_class key = class_of_message(table_.messages[id]);
      const auto [at, is_new] = numbers.try_emplace(key, static_cast<std::uint32_t>(classes_.size()));
      if (is_new)
        classes_.push_back({survey_.classes.at(key), 0, false});
      class_of_[id] = at->second;
      ++classes_[at->second].examples;
    }
  }

  bool is_steady(std::span<const std::uint32_t> episode) const {
    return std::all_of(episode.begin(), episode.end(), [&](std::uint32_t id) {
      return sent_at(table_.messages[id]) >= survey_.windows[table_.messages[id].window].steady;
    });
  }

  /// Each example stands for itself. For messages that were left out stand those from the last quarter of a window,
  /// before what is left out begins; of classes without such examples, all.
  void choose_stand_ins(const episode_list& episodes) {
    stands_in_.resize(episodes.size());
    for (std::size_t e = 0; e < episodes.size(); ++e) {
      stands_in_[e] = is_steady(episodes.of(e));
      for (const std::uint32_t id : episodes.of(e))
        if (stands_in_[e])
          classes_[class_of_[id]].steady = true;
    }
    for (std::size_t e = 0; e < episodes.size(); ++e)
      for (const std::uint32_t id : episodes.of(e)) {
        const known_class& c = classes_[class_of_[id]];
        if (!c.steady && c.missing() > 0)
          stands_in_[e] = true;
      }
  }

  /// How many episodes each stand-in stands for, so that the messages of every class add up: multiplicative correction,
  /// class by class (R. Gordon et al., ART, 1970; "MART"), which keeps what the classes leave open as it is among the
  /// examples. Episodes of the same classes of messages are one kind.
  void estimate(const episode_list& episodes) {
    std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
    kind_of_.assign(episodes.size(), none);
    std::vector<std::vector<std::uint32_t>> with(classes_.size()); // kinds, once for each message
    for (std::size_t e = 0; e < episodes.size(); ++e) {
      if (!stands_in_[e])
        continue;
      std::vector<std::uint32_t> parts;
      for (const std::uint32_t id : episodes.of(e))
        parts.push_back(class_of_[id]);
      std::sort(parts.begin(), parts.end());
      const auto [at, is_new] =
          numbers.try_emplace(std::move(parts), static_cast<std::uint32_t>(kinds_.size()));
      if (is_new) {
        kinds_.push_back({});
        for (const std::uint32_t c : at->first)
          with[c].push_back(at->second);
      }
      kind_of_[e] = at->second;
      ++kinds_[at->second].examples;
    }
    for (known_kind& k : kinds_)
      k.missing = static_cast<double>(k.examples);
    constexpr int most_sweeps = 300;
    bool settled = false;
    for (int sweep = 0; sweep < most_sweeps && !settled; ++sweep) {
      settled = true;
      for (std::uint32_t c = 0; c < with.size(); ++c)
        settled = correct(with[c], static_cast<double>(classes_[c].missing())) && settled;
    }
  }

  /// True if the kinds, each as often as it has messages of a class, add up to what is missing of that.
  bool correct(const std::vector<std::uint32_t>& with, double missing) {
    double sum = 0;
    for (const std::uint32_t k : with)
      sum += kinds_[k].missing;
    if (sum <= 0)
      return true;
    const double ratio = missing / sum;
    for (std::size_t i = 0; i < with.size(); ++i)
      if (i == 0 || with[i] != with[i - 1])
        kinds_[with[i]].missing *= ratio;
    return std::abs(ratio - 1) < 1e-9;
  }

  /// Whole numbers out of shares that come one after the other: what is owed is never more than a half.
  struct dealer {
    double due = 0;
    std::uint64_t dealt = 0;
    std::uint64_t deal(double share) {
      due += share;
      const auto all = static_cast<std::uint64_t>(std::llround(due));
      return all - std::exchange(dealt, all);
    }
  };

  /// Episodes that one stands for, but for itself.
  double missing_for(std::size_t e) const {
    const std::uint32_t kind = kind_of_[e];
    return kind == none ? 0 : kinds_[kind].missing / static_cast<double>(kinds_[kind].examples);
  }

  void share_out(regrouped& now) {
    const episode_list& episodes = now.episodes;
    std::vector<double> sum(classes_.size(), 0);
    for (std::size_t e = 0; e < episodes.size(); ++e)
      for (const std::uint32_t id : episodes.of(e))
        sum[class_of_[id]] += missing_for(e);
    std::vector<dealer> of_class(classes_.size()), of_kind(kinds_.size());
    for (std::size_t e = 0; e < episodes.size(); ++e) {
      episode_facts& f = now.facts.of_episode[e];
      f.times = 1 + (kind_of_[e] == none ? 0 : of_kind[kind_of_[e]].deal(missing_for(e)));
      f.bytes = 0;
      f.seconds = 0;
      for (const std::uint32_t id : episodes.of(e)) {
        message& m = table_.messages[id];
        const std::uint32_t number = class_of_[id];
        const known_class& c = classes_[number];
        const double part = sum[number] > 0 ? missing_for(e) / sum[number] : 0;
        m.times = 1 + of_class[number].deal(static_cast<double>(c.missing()) * part);
        m.seconds = c.total.seconds * static_cast<double>(m.times) / static_cast<double>(c.total.messages);
        f.bytes += m.bytes * m.times;
        f.seconds += m.seconds;
      }
    }
  }

  bool touches_edge(std::span<const std::uint32_t> episode) const {
    bool before = true;
    for (const std::uint32_t id : episode) {
      const kept_window& w = survey_.windows[table_.messages[id].window];
      const std::int64_t time = sent_at(table_.messages[id]);
      if (time >= w.edge)
        return true;
      before = before && time < w.first;
    }
    return before;
  }

  /// Leaves an episode out, unless it is the last example of a class.
  bool leave_out(std::span<const std::uint32_t> episode) {
    std::map<std::uint32_t, std::uint64_t> parts;
    for (const std::uint32_t id : episode)
      ++parts[class_of_[id]];
    for (const auto& [c, count] : parts)
      if (classes_[c].examples <= count)
        return false;
    for (const auto& [c, count] : parts)
      classes_[c].examples -= count;
    return true;
  }

  regrouped without_edges(regrouped found) {
    regrouped left;
    left.facts = found.facts;
    left.facts.of_episode.clear();
    left.facts.joint.clear();
    std::vector<std::uint32_t> moved(found.episodes.size(), none);
    for (std::uint32_t e = 0; e < found.episodes.size(); ++e) {
      const auto messages = found.episodes.of(e);
      if (touches_edge(messages) && leave_out(messages))
        continue;
      moved[e] = static_cast<std::uint32_t>(left.facts.of_episode.size());
      left.episodes.first.push_back(left.episodes.messages.size());
      left.episodes.messages.insert(left.episodes.messages.end(), messages.begin(), messages.end());
      left.episodes.simultaneous.push_back(found.episodes.simultaneous[e]);
      left.facts.of_episode.push_back(found.facts.of_episode[e]);
      if (const auto joint = found.facts.joint.find(e); joint != found.facts.joint.end())
        left.facts.joint.emplace(moved[e], joint->second);
    }
    left.episodes.first.push_back(left.episodes.messages.size());
    for (episode_facts& f : left.facts.of_episode)
      if (f.head != none)
        f.head = moved[f.head];
    return left;
  }

  const recording_set& recorded_;
  message_table& table_;
  const run_survey& survey_;
  const std::int64_t first_;
  struct known_kind {
    std::uint64_t examples = 0;
    double missing = 0; ///< episodes that they stand for, but for themselves
  };
  std::vector<known_class> classes_;
  std::vector<std::uint32_t> class_of_; ///< of each message
  std::vector<bool> stands_in_;         ///< per episode
  std::vector<known_kind> kinds_;
  std::vector<std::uint32_t> kind_of_; ///< per episode, or none
};

} // namespace

regrouped weigh(const recording_set& recorded, message_table& table, const run_survey& survey,
                regrouped found) {
  return weigher(recorded, table, survey).run(std::move(found));
}

} // namespace tacit::recordings
