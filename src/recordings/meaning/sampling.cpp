#include "recordings/meaning/sampling.h"

#include "vocabulary/base/hash.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace tacit::recordings {

bool is_kept(std::span<const kept_window> windows, std::int64_t time) {
  const auto after = std::upper_bound(windows.begin(), windows.end(), time,
                                      [](std::int64_t t, const kept_window& w) { return t < w.begin; });
  return after != windows.begin() && time <= std::prev(after)->end;
}

namespace {

/// A message by its two halves.
struct pair_of_halves {
  std::uint32_t send = 0, receive = 0;
  bool consistent = true;
};

/// Positions in a list by channel, those of one channel in order of posting. Both lists get the same channels.
struct by_channel {
  using channel = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t>;

  by_channel(const half_list& a, const half_list& b) {
    for (const half_list* list : {&a, &b})
      for (const half_kind& k : list->kinds.values())
        channels_.number_of({k.comm, k.from, k.to, k.tag});
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(channels_.size()); }

  /// `first` gets where each channel begins, and the end.
  std::vector<std::uint32_t> sort(const half_list& list, std::vector<std::uint32_t>& first) const {
    std::vector<std::uint32_t> channel_of;
    for (const half_kind& k : list.kinds.values())
      channel_of.push_back(channels_.find({k.comm, k.from, k.to, k.tag}));
    first.assign(channels_.size() + 1, 0);
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
  struct hash_of_channel {
    std::size_t operator()(const channel& c) const {
      const auto& [comm, from, to, tag] = c;
      const std::uint64_t words[] = {std::uint64_t{comm} << 32 | static_cast<std::uint32_t>(tag),
                                     std::uint64_t{from} << 32 | to};
      return vocabulary::hash_of(words, sizeof words);
    }
  };
  numbering<channel, hash_of_channel> channels_;
};

/// Pairs halves, sums up classes, and finds out what is novel.
class sampler {
public:
  sampler(run_survey& out, const halves& found, std::uint32_t ranks, const survey_options& options)
      : out_(out), found_(found), ranks_(ranks), options_(options) {}

  /// False if keeping everything is no more.
  bool run() {
    pair();
    const std::size_t n = pairs_.size();
    in_time_.resize(n);
    std::iota(in_time_.begin(), in_time_.end(), 0u);
    std::stable_sort(in_time_.begin(), in_time_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return sent_at(a) < sent_at(b); });
    if (out_.cut && n < options_.smallest / 4) {
      keep_until_cut();
      return true;
    }
    for (std::uint32_t novelty = options_.novelty; novelty >= 4; novelty /= 2)
      if (find_windows(novelty) <= n / 8)
        return end_at_cut();
    if (find_windows(4) <= n / 2 || n == 0)
      return end_at_cut();
    if (out_.cut) {
      keep_until_cut();
      return true;
    }
    if (n <= options_.most)
      return false;
    out_.kept_until = sent_at(in_time_[options_.most]);
    keep_first(options_.most, *out_.kept_until, *out_.kept_until);
    return true;
  }

  std::vector<call_marks> mark_calls(std::span<const std::uint32_t> calls_of_rank,
                                     std::span<const std::uint32_t> recording_of_rank) const {
    std::vector<call_marks> all(calls_of_rank.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].halves.resize(calls_of_rank[i]);
      all[i].kept.resize(calls_of_rank[i]);
    }
    if (out_.cut) // halves whose partner was only counted are no calls of the shorter run
      for (const bool sends : {true, false}) {
        const half_list& list = sends ? found_.sends : found_.receives;
        for (const half& h : list.all)
          if (h.kind != none)
            all[recording_of_rank[sends ? list.kinds[h.kind].from : list.kinds[h.kind].to]].halves[h.call] =
                true;
      }
    for (std::uint32_t m = 0; m < pairs_.size(); ++m) {
      const half &s = found_.sends.all[pairs_[m].send], &v = found_.receives.all[pairs_[m].receive];
      const half_kind& k = found_.sends.kinds[s.kind];
      const bool keep = is_kept(out_.windows, sent_at(m));
      const auto set = [&](std::uint32_t rank, const half& h) {
        call_marks& of = all[recording_of_rank[rank]];
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

private:
  /// All that has records.
  void keep_until_cut() {
    const auto before = std::partition_point(in_time_.begin(), in_time_.end(),
                                             [&](std::uint32_t m) { return sent_at(m) < *out_.cut; });
    keep_first(static_cast<std::size_t>(before - in_time_.begin()), *out_.cut,
               std::numeric_limits<std::int64_t>::max());
  }

  /// One window of `count` messages before `edge`. Its last quarter stands for what comes later.
  void keep_first(std::size_t count, std::int64_t edge, std::int64_t end) {
    kept_window all;
    all.begin = all.first = -std::numeric_limits<std::int64_t>::max();
    all.end = end;
    all.edge = edge;
    all.steady = count > 0 ? sent_at(in_time_[count - count / 4 - 1]) : edge;
    out_.windows = {all};
  }

  /// Where ranks begin to count, rounds are cut.
  bool end_at_cut() {
    if (out_.cut)
      for (kept_window& w : out_.windows)
        if (w.edge > *out_.cut) {
          w.edge = *out_.cut;
          w.steady = std::min(w.steady, w.edge - (w.edge - std::max(w.begin, std::int64_t{0})) / 4);
        }
    return true;
  }

  /// Halves of one channel that have no partner with a record.
  using rest = std::vector<counted_halves>;
  static counted_halves one_of(const half_list& list, std::uint32_t i) {
    const half& h = list.all[i];
    return {list.kinds[h.kind], false, 1, list.kinds[h.kind].bytes, static_cast<double>(h.seconds)};
  }

  /// Which halves are for each other: those of equal length, receives of unknown length and any send, or all.
  enum class fitting { equal, unknown, any };

  /// Pairs what is left on both sides, as far as it goes, and takes it out. Lengths are those of the sends.
  template <typename Use>
  static void pair_rest(fitting which, rest& sends, rest& receives, Use use) {
    const auto shorter = [](const counted_halves& a, const counted_halves& b) {
      return std::pair(!a.kind.bytes_known, a.kind.bytes) < std::pair(!b.kind.bytes_known, b.kind.bytes);
    };
    std::stable_sort(sends.begin(), sends.end(), shorter);
    std::stable_sort(receives.begin(), receives.end(), shorter);
    const auto take = [](counted_halves& from, std::uint64_t count) {
      counted_halves part = from;
      const auto share = [&](std::uint64_t all) {
        return from.messages == count
                   ? all
                   : all / from.messages * count + all % from.messages * count / from.messages;
      };
      part.messages = count;
      part.bytes = share(from.bytes);
      part.seconds = from.seconds * static_cast<double>(count) / static_cast<double>(from.messages);
      from.messages -= count;
      from.bytes -= part.bytes;
      from.seconds -= part.seconds;
      return part;
    };
    for (std::size_t s = 0, v = 0; s < sends.size() && v < receives.size();) {
      const bool equal = which == fitting::equal, any = receives[v].messages != 0;
      if (sends[s].messages == 0 || (any && equal && shorter(sends[s], receives[v]))) {
        ++s;
      } else if (!any || (which == fitting::unknown && receives[v].kind.bytes_known) ||
                 (equal && shorter(receives[v], sends[s]))) {
        ++v;
      } else {
        const std::uint64_t count = std::min(sends[s].messages, receives[v].messages);
        use(take(sends[s], count), take(receives[v], count));
      }
    }
  }

  using channel = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t>;
  using pair_of_ranks = std::pair<std::uint32_t, std::uint32_t>;

  /// Joins what was only counted, or lost its partner to that: first by channel, which gives messages of known classes, then by ranks,
  /// then all that is left.
  void pair_counted(std::map<channel, std::pair<rest, rest>> by_channel) {
    for (const bool sends : {true, false})
      for (const counted_halves& h : sends ? found_.counted_sends : found_.counted_receives)
        if (!h.mixed) {
          auto& [s, v] = by_channel[{h.kind.comm, h.kind.from, h.kind.to, h.kind.tag}];
          (sends ? s : v).push_back(h);
        }
    std::map<pair_of_ranks, std::pair<rest, rest>> by_ranks;
    for (auto& [key, sides] : by_channel) {
      const auto add_class = [&](const counted_halves& s, const counted_halves& v) {
        class_total& total = out_.of_classes.of({s.kind.comm, s.kind.from, s.kind.to, s.kind.tag,
                                                 s.kind.bytes, s.kind.path, v.kind.path, v.kind.wildcard});
        total.messages += s.messages;
        total.seconds += s.seconds + v.seconds;
      };
      pair_rest(fitting::equal, sides.first, sides.second, add_class);
      pair_rest(fitting::unknown, sides.first, sides.second, add_class);
      auto& [s, v] = by_ranks[{std::get<1>(key), std::get<2>(key)}];
      s.insert(s.end(), sides.first.begin(), sides.first.end());
      v.insert(v.end(), sides.second.begin(), sides.second.end());
    }
    for (const bool sends : {true, false})
      for (const counted_halves& h : sends ? found_.counted_sends : found_.counted_receives)
        if (h.mixed) {
          auto& [s, v] = by_ranks[{h.kind.from, h.kind.to}];
          (sends ? s : v).push_back(h);
        }
    std::pair<rest, rest> left;
    const auto chart = [&](pair_of_ranks ranks, const counted_halves& s, const counted_halves& v) {
      message_table::uncharted& sum = out_.totals.without_example[ranks];
      sum.messages += s.messages;
      sum.bytes += s.bytes;
      sum.seconds += s.seconds + v.seconds;
    };
    for (auto& [ranks, sides] : by_ranks) {
      pair_rest(fitting::any, sides.first, sides.second,
                [&](const counted_halves& s, const counted_halves& v) { chart(ranks, s, v); });
      left.first.insert(left.first.end(), sides.first.begin(), sides.first.end());
      left.second.insert(left.second.end(), sides.second.begin(), sides.second.end());
    }
    // What knows no partner can only be taken for that of somebody else who does not, or who lost his to one.
    const auto unknown = [](const counted_halves& h) {
      return h.messages > 0 && (h.kind.from == none || h.kind.to == none);
    };
    if (std::any_of(left.first.begin(), left.first.end(), unknown) ||
        std::any_of(left.second.begin(), left.second.end(), unknown))
      pair_rest(fitting::any, left.first, left.second, [&](const counted_halves& s, const counted_halves& v) {
        chart({s.kind.from != none ? s.kind.from : v.kind.from, s.kind.to != none ? s.kind.to : v.kind.to}, s,
              v);
      });
    for (const counted_halves& h : left.first)
      out_.totals.unmatched_sends += h.messages, out_.totals.other_seconds += h.seconds;
    for (const counted_halves& h : left.second)
      out_.totals.unmatched_receives += h.messages, out_.totals.other_seconds += h.seconds;
  }

  std::int64_t sent_at(std::uint32_t m) const { return found_.sent_at[pairs_[m].send]; }

  void pair() {
    const by_channel channels(found_.sends, found_.receives);
    std::vector<std::uint32_t> first_send, first_receive;
    const std::vector<std::uint32_t> sends = channels.sort(found_.sends, first_send);
    const std::vector<std::uint32_t> receives = channels.sort(found_.receives, first_receive);
    pairs_.reserve(std::min(sends.size(), receives.size()));
    for (std::uint32_t c = 0; c < channels.count(); ++c) {
      const std::uint32_t s = first_send[c + 1] - first_send[c], v = first_receive[c + 1] - first_receive[c];
      for (std::uint32_t i = 0; i < std::min(s, v); ++i)
        add(sends[first_send[c] + i], receives[first_receive[c] + i]);
      for (std::uint32_t i = v; i < s; ++i)
        leave(found_.sends, sends[first_send[c] + i], out_.totals.unmatched_sends, true);
      for (std::uint32_t i = s; i < v; ++i)
        leave(found_.receives, receives[first_receive[c] + i], out_.totals.unmatched_receives, false);
    }
    if (out_.cut)
      pair_counted(std::move(left_));
    for (const half& h : found_.receives.all) // cancelled, or from nobody
      if (h.kind == none)
        out_.totals.other_seconds += static_cast<double>(h.seconds);
  }

  void leave(const half_list& list, std::uint32_t i, std::uint64_t& count, bool sends) {
    if (out_.cut) {
      const half_kind& k = list.kinds[list.all[i].kind];
      auto& [s, v] = left_[{k.comm, k.from, k.to, k.tag}];
      (sends ? s : v).push_back(one_of(list, i));
      return;
    }
    ++count;
    out_.totals.other_seconds += static_cast<double>(list.all[i].seconds);
  }

  void add(std::uint32_t send, std::uint32_t receive) {
    const half &s = found_.sends.all[send], &v = found_.receives.all[receive];
    const half_kind &sent = found_.sends.kinds[s.kind], &got = found_.receives.kinds[v.kind];
    class_total& total =
        out_.of_classes.of({sent.comm, sent.from, sent.to, sent.tag, got.bytes_known ? got.bytes : sent.bytes,
                            sent.path, got.path, got.wildcard});
    total.messages += 1;
    total.seconds += static_cast<double>(s.seconds) + static_cast<double>(v.seconds);
    const bool lengths_differ = sent.bytes_known && got.bytes_known && sent.bytes != got.bytes;
    const bool hashes_differ = v.closed_by != none && sent.hashed && got.hashed && s.hash != v.hash;
    pairs_.push_back({send, receive, v.closed_by == none || !(lengths_differ || hashes_differ)});
  }

  /// The windows around novel messages; how many messages they hold.
  std::size_t find_windows(std::uint32_t novelty) {
    const std::size_t n = in_time_.size();
    const std::size_t before = 256, longest_round = std::max<std::size_t>(2048, std::size_t{32} * ranks_);
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
        novel = novel || context == none || count[context] < novelty;
        if (context == none)
          continue;
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
  std::uint32_t ranks_;
  const survey_options& options_;
  std::map<channel, std::pair<rest, rest>> left_;
  std::vector<pair_of_halves> pairs_;
  std::vector<std::uint32_t> in_time_; ///< messages
};

} // namespace

std::optional<std::vector<call_marks>> choose_sample(run_survey& out, const halves& found,
                                                     std::span<const std::uint32_t> calls,
                                                     std::span<const std::uint32_t> recording_of_rank,
                                                     const survey_options& options) {
  sampler sample(out, found, static_cast<std::uint32_t>(recording_of_rank.size()), options);
  if (!sample.run())
    return std::nullopt;
  return sample.mark_calls(calls, recording_of_rank);
}

} // namespace tacit::recordings
