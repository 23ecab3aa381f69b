#include "recordings/meaning/rank_survey.h"

#include "recordings/meaning/calls.h"
#include "vocabulary/base/hash.h"

#include <map>
#include <optional>
#include <utility>

namespace tacit::recordings {

std::size_t hash_of_kind::operator()(const half_kind& k) const {
  const std::uint64_t words[] = {
      std::uint64_t{k.comm} << 32 | static_cast<std::uint32_t>(k.tag), std::uint64_t{k.from} << 32 | k.to,
      k.bytes, std::uint64_t{k.path} << 3 | k.bytes_known << 2 | k.hashed << 1 | k.wildcard};
  return vocabulary::hash_of(words, sizeof words);
}

namespace {

class rank_surveyor : public rank_survey {
public:
  rank_surveyor(message_table& totals, run_names& names, halves& found)
      : totals_(totals), names_(names), found_(found) {}
  std::uint32_t calls() const override { return calls_; }

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

  void end(const rank_recording& r) override {
    if (of_) {
      end_call(r);
      // A receive that never completed took what came, if it said from whom.
      for (const auto& [index, p] : posted_)
        if (p.wildcard || p.from == none || p.from == not_in_world) {
          ++totals_.unmatched_receives;
          if (is_outside(r, p.local_comm, p.from))
            ++totals_.outside.receives;
        } else
          found_.receives.all[index].kind = found_.receives.kinds.number_of({.comm = p.comm,
                                                                             .from = p.from,
                                                                             .to = rank(r),
                                                                             .tag = p.tag,
                                                                             .path = p.path,
                                                                             .wildcard = false});
      add_counts(r);
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
      half_kind k{.comm = of_->groups()[c.comm], .from = rank(r), .to = peer, .tag = c.tag, .path = path};
      if (c.layout != none && (c.count == 0 || r.layouts[c.layout].size <= ~0ull / c.count)) {
        k.bytes = r.layouts[c.layout].size * c.count;
        k.bytes_known = true;
      }
      if (peer == none || peer == not_in_world) {
        ++totals_.unmatched_sends;
        if (is_outside(r, c.comm, peer)) {
          ++totals_.outside.sends;
          totals_.outside.bytes += k.bytes;
        }
        return {};
      }
      k.hashed = (c.flags & call_hash_valid) != 0;
      found_.sends.all.push_back({.kind = found_.sends.kinds.number_of(k),
                                  .call = calls_,
                                  .hash = static_cast<std::uint32_t>(c.hash)});
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
      if (is_outside(r, p.local_comm, from))
        ++totals_.outside.receives;
      return;
    }
    half& h = found_.receives.all[w.index];
    h.closed_by = calls_ - 1;
    h.hash = static_cast<std::uint32_t>(done.hash);
    h.kind = found_.receives.kinds.number_of(
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
    vocabulary::hashed_words now;
    for (const std::uint64_t word :
         {std::uint64_t{of_->path_of(c)},
          std::uint64_t{static_cast<std::uint32_t>(c.peer)} << 32 | static_cast<std::uint32_t>(c.tag),
          std::uint64_t{c.comm} << 16 | c.part, std::uint64_t{c.count}})
      now.add(word);
    vocabulary::hashed_words step;
    for (const std::uint64_t word : {rank_, std::exchange(before_, now.value()), now.value()})
      step.add(word);
    if (!is_half)
      return;
    half_list& list = w.is == work::what::sends ? found_.sends : found_.receives;
    list.all[w.index].context = found_.number_of_context(step.value());
  }

  /// What the recording only counts: sums, and the halves of messages.
  void add_counts(const rank_recording& r) {
    of_.emplace(names_, r); // the recording has moved since
    double spent = 0, shared = 0;
    for (const counted& t : r.counts) {
      const double seconds = static_cast<double>(t.ticks) * r.seconds_per_tick;
      call c;
      c.id = t.call;
      c.site = t.site;
      c.path = t.path;
      c.comm = t.comm;
      (t.what == tally_kind::calls ? spent : shared) += seconds;
      switch (t.what) {
      case tally_kind::calls:
        add_counted_calls(c, t.times, seconds);
        break;
      case tally_kind::sends:
      case tally_kind::receives:
        add_counted_halves(r, c, t, seconds);
        break;
      case tally_kind::collectives:
        if (t.comm == none || find_call(t.call) == nullptr)
          break;
        total_of(c).calls += t.times;
        total_of(c).bytes += t.bytes;
        total_of(c).seconds += seconds;
        break;
      case tally_kind::cancelled:
      case tally_kind::failed:
        (t.what == tally_kind::cancelled ? totals_.cancelled : totals_.unmatched_receives) += t.times;
        if ((t.flags & tally_wildcard) != 0 && (t.flags & tally_posted_before) != 0)
          take_back(r, t);
        break;
      }
    }
    totals_.other_seconds += spent - shared;
  }

  /// Receives that stand as unmatched in the part with records.
  void take_back(const rank_recording& r, const counted& t) {
    totals_.unmatched_receives -= t.times;
    if (t.comm != none && r.communicators[t.comm].inter)
      totals_.outside.receives -= t.times;
  }

  void add_counted_calls(const call& c, std::uint64_t times, double seconds) {
    totals_.calls += times;
    totals_.counted_calls += times;
    totals_.communication_seconds += seconds;
    if (c.site == none || find_call(c.id) == nullptr)
      return;
    const std::uint32_t path = of_->path_of(c), where = totals_.paths[path].location;
    totals_.path_seconds[path] += seconds;
    totals_.location_seconds[where] += seconds;
    totals_.location_calls[where] += times;
    if (class_of(c) == call_class::unknown)
      totals_.unmodelled[c.id] += times, totals_.unmodelled_seconds += seconds;
  }

  void add_counted_halves(const rank_recording& r, const call& c, const counted& t, double seconds) {
    const bool sends = t.what == tally_kind::sends, posted = (t.flags & tally_posted_before) != 0;
    counted_halves h;
    h.mixed = (t.flags & tally_mixed) != 0;
    h.seconds = seconds;
    h.bytes = t.bytes;
    h.messages = t.times;
    h.kind.wildcard = (t.flags & tally_wildcard) != 0;
    if (posted && h.kind.wildcard)
      take_back(r, t);
    else if (posted)
      h.messages = h.bytes = 0; // there it took what came
    const std::uint32_t peer = t.comm == none ? none : world_rank(r, t.comm, t.peer);
    h.kind.comm = t.comm == none ? none : of_->groups()[t.comm];
    h.kind.from = sends ? rank(r) : peer;
    h.kind.to = sends ? peer : rank(r);
    h.kind.tag = t.tag;
    h.kind.path = c.site == none || h.mixed ? none : of_->path_of(c);
    h.kind.bytes = t.times > 0 ? t.bytes / t.times : 0;
    h.kind.bytes_known = !h.mixed;
    h.mixed = h.mixed || h.kind.path == none;
    if (t.comm != none && (peer == none || peer == not_in_world)) { // of another group
      (sends ? totals_.unmatched_sends : totals_.unmatched_receives) += h.messages;
      if (is_outside(r, t.comm, peer)) {
        (sends ? totals_.outside.sends : totals_.outside.receives) += h.messages;
        totals_.outside.bytes += sends ? h.bytes : 0;
      }
      totals_.other_seconds += seconds;
      return;
    }
    (sends ? found_.counted_sends : found_.counted_receives).push_back(h);
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

} // namespace

std::unique_ptr<rank_survey> survey_rank(message_table& totals, run_names& names, halves& found) {
  return std::make_unique<rank_surveyor>(totals, names, found);
}

} // namespace tacit::recordings
