// The graph as GOAL (Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language, ICPP 2009), for LogGOPSim.
//
// `requires` is what a dependency is: the one has completed before the other starts. GOAL matches by source and tag in the order in
// which operations start, which a graph does not fix, so each message gets a tag of its own: the same messages match. A fence is
// written as what it does, a dissemination barrier behind all that the rank did before it.
#include "graphs/platform/machine_model.h"
#include "surface/report/graph_page.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace tacit::surface {
namespace {

using graphs::op_kind;

class goal_writer {
public:
  explicit goal_writer(const graph_analysis& a)
      : a_(a), g_(a.g), of_rank_(g_.ranks()), epoch_(g_.size(), 0) {}

  std::string text() {
    sort_operations();
    number_messages();
    fmt::format_to(std::back_inserter(out_), "// {}, written by tacit; times in ns\nnum_ranks {}\n", a_.name,
                   g_.ranks());
    for (std::uint32_t r = 0; r < g_.ranks(); ++r)
      write_rank(r);
    return std::move(out_);
  }

private:
  template <typename... T>
  void line(fmt::format_string<T...> form, T&&... values) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<T>(values)...);
    out_ += '\n';
  }

  /// By rank; epochs of operations are counted in fences, those of a put or get at its origin.
  void sort_operations() {
    std::vector<std::uint32_t> fences(g_.ranks(), 0);
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
      const graphs::operation& op = g_[op_id{i}];
      epoch_[i] = fences[index(op.rank)];
      if (op.kind == op_kind::fence)
        ++fences[index(op.rank)];
      of_rank_[index(op.rank)].push_back(op_id{i});
    }
    for (const graphs::made_pair& pair : g_.made_pairs())
      epoch_[index(pair.send)] = epoch_[index(pair.recv)] = epoch_[index(pair.origin)];
    dependencies_.assign(g_.dependencies().begin(), g_.dependencies().end());
    std::stable_sort(
        dependencies_.begin(), dependencies_.end(),
        [](const graphs::dependency& x, const graphs::dependency& y) { return x.after < y.after; });
  }

  void number_messages() {
    tag_.assign(g_.size(), 0);
    for (std::uint32_t i = 0; i < g_.size(); ++i)
      if (g_[op_id{i}].kind == op_kind::send)
        tag_[i] = tag_[index(a_.c.matched.partner[i])] = messages_++;
  }

  void write_rank(std::uint32_t r) {
    line("\nrank {} {{", r);
    std::uint32_t fences = 0;
    for (const op_id op : of_rank_[r])
      if (g_[op].kind == op_kind::fence)
        write_fence(rank_id{r}, fences++, op);
      else
        write_operation(op);
    for (const op_id op :
         of_rank_[r]) { // behind all labels: the other end of a put comes before its epoch here
      write_dependencies(op);
      if (g_[op].kind == op_kind::fence)
        continue;
      if (epoch_[index(op)] > 0)
        line("o{} requires e{}", index(op), epoch_[index(op)] - 1);
      if (epoch_[index(op)] < fences)
        line("b{} requires o{}", epoch_[index(op)], index(op));
    }
    line("}}");
  }

  /// Messages without bytes have one: LogGP counts the bytes behind the first.
  void write_operation(op_id id) {
    const graphs::operation& op = g_[id];
    const op_id sent = op.kind == op_kind::recv ? a_.c.matched.partner[index(id)] : id;
    const std::uint64_t bytes = std::max<std::uint64_t>(graphs::total_length(g_.reads(sent)), 1);
    switch (op.kind) {
    case op_kind::send:
      return line("o{}: send {}b to {} tag {}", index(id), bytes, index(op.peer), tag_[index(id)]);
    case op_kind::recv:
      return line("o{}: recv {}b from {} tag {}", index(id), bytes, index(op.peer), tag_[index(id)]);
    case op_kind::copy:
      return line("// copy of {} bytes\no{}: calc {:.0f}", bytes, index(id),
                  graphs::copy_at(graphs::default_model(), static_cast<double>(bytes)));
    case op_kind::reduce:
      return line("// reduction of {} bytes\no{}: calc {:.0f}", bytes, index(id),
                  1.5 * graphs::copy_at(graphs::default_model(), static_cast<double>(bytes)));
    case op_kind::opaque:
      return line("// a computation: how long it takes is not known\no{}: calc 0", index(id));
    case op_kind::fence:
      return;
    }
  }

  void write_dependencies(op_id after) {
    const auto [first, last] = std::equal_range(
        dependencies_.begin(), dependencies_.end(), graphs::dependency{after, after},
        [](const graphs::dependency& x, const graphs::dependency& y) { return x.after < y.after; });
    for (auto d = first; d != last; ++d)
      line("{} requires {}", label(d->after, 'b'), label(d->before, 'e'));
  }

  /// A fence begins (b) and ends (e).
  std::string label(op_id op, char part) const {
    return g_[op].kind == op_kind::fence ? fmt::format("{}{}", part, epoch_[index(op)])
                                         : fmt::format("o{}", index(op));
  }

  void write_fence(rank_id rank, std::uint32_t number, op_id op) {
    const auto& members = g_.communicators()[index(g_[op].comm)].members;
    const auto size = static_cast<std::uint32_t>(members.size());
    const auto me =
        static_cast<std::uint32_t>(std::find(members.begin(), members.end(), rank) - members.begin());
    line("// fence\nb{}: calc 0", number);
    if (number > 0)
      line("b{} requires e{}", number, number - 1);
    std::string before = fmt::format("b{}", number), sent;
    for (std::uint32_t distance = 1, round = 0; distance < size; distance *= 2, ++round) {
      const std::uint32_t tag = messages_ + number * rounds + round;
      line("b{}s{}: send 1b to {} tag {}", number, round, index(members[(me + distance) % size]), tag);
      line("b{}s{} requires {}", number, round, before);
      line("b{}r{}: recv 1b from {} tag {}", number, round, index(members[(me + size - distance) % size]),
           tag);
      before = fmt::format("b{}r{}", number, round);
      sent += fmt::format("e{} requires b{}s{}\n", number, number, round);
    }
    line("e{}: calc 0", number);
    line("e{} requires {}", number, before);
    out_ += sent;
  }

  static constexpr std::uint32_t rounds = 32; ///< more than a barrier has

  const graph_analysis& a_;
  const graphs::graph& g_;
  std::vector<std::vector<op_id>> of_rank_;
  std::vector<std::uint32_t> epoch_;             ///< of each operation: fences of its rank before it
  std::vector<graphs::dependency> dependencies_; ///< by `after`
  std::vector<std::uint32_t> tag_;
  std::uint32_t messages_ = 0;
  std::string out_;
};

} // namespace

std::optional<std::string> goal_of(const graph_analysis& a) {
  const auto ops = a.g.operations();
  const auto is_fence = [](const graphs::operation& op) { return op.kind == op_kind::fence; };
  const auto first = std::find_if(ops.begin(), ops.end(), is_fence);
  if (std::any_of(first, ops.end(), [&](const auto& op) { return is_fence(op) && op.comm != first->comm; }))
    return std::nullopt;
  return goal_writer(a).text();
}

} // namespace tacit::surface
