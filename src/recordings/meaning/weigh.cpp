#include "recordings/meaning/weigh.h"

#include "recordings/meaning/calls.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tacit::recordings {

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
    chart_the_rest();
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
    class_of_.assign(table_.messages.size(), none);
    for (const std::uint32_t id : episodes.messages) {
      const message_class key = class_of_message(table_.messages[id]);
      const std::uint32_t number = numbers_.number_of(key);
      if (number == classes_.size())
        classes_.push_back({survey_.of_classes.totals.at(survey_.of_classes.classes.find(key)), 0, false});
      class_of_[id] = number;
      ++classes_[number].examples;
    }
  }

  /// Classes without an example: messages that came only when calls were counted, or behind what is kept.
  void chart_the_rest() {
    const class_totals& all = survey_.of_classes;
    for (std::uint32_t number = 0; number < all.totals.size(); ++number) {
      const message_class& key = all.classes[number];
      const class_total& total = all.totals[number];
      if (numbers_.find(key) != none || total.messages == 0)
        continue;
      message_table::uncharted& sum = table_.without_example[{std::get<1>(key), std::get<2>(key)}];
      sum.messages += total.messages;
      sum.bytes += total.messages * std::get<4>(key);
      sum.seconds += total.seconds;
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
        // Of a class whose episodes all stand for themselves alone, because of their other messages, its examples share.
        const double part =
            sum[number] > 0 ? missing_for(e) / sum[number] : 1 / static_cast<double>(c.examples);
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
  numbering<message_class, hash_of_class> numbers_; ///< of classes with examples
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
