#include "recordings/meaning/sampling.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

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
    for (std::uint32_t novelty = options_.novelty; novelty >= 4; novelty /= 2)
      if (find_windows(novelty) <= n / 8)
        return true;
    return find_windows(4) <= n / 2 || n == 0;
  }

  std::vector<call_marks> mark_calls(std::span<const std::uint32_t> calls_of_rank,
                                     std::span<const std::uint32_t> recording_of_rank) const {
    std::vector<call_marks> all(calls_of_rank.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].halves.resize(calls_of_rank[i]);
      all[i].kept.resize(calls_of_rank[i]);
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
  std::uint32_t ranks_;
  const survey_options& options_;
  std::vector<pair_of_halves> pairs_;
  std::vector<class_total*> totals_;
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
