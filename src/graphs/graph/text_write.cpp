// Writes a graph as text: one block per rank, each operation labelled with its number. The numbers keep the
// creation order over all ranks, which the blocks alone would lose. A pair made by put or get is one line at
// the rank that made it. Cost O(operations + dependencies + segments).
#include "graphs/graph/text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <numeric>

namespace tacit::graphs {
namespace {

bool is_word(std::string_view name) {
  const auto letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(), letter);
}

std::string quoted(std::string_view name) {
  if (is_word(name))
    return std::string(name);
  std::string text = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      text += {'\\', c};
    else if (byte < 0x20 || byte == 0x7f)
      text += fmt::format("\\x{:02x}", byte);
    else
      text += c;
  }
  return text + '"';
}

/// Positions of items in the order of a key, equal keys in their own order.
template <typename Key>
std::vector<std::uint32_t> sorted_by(std::size_t count, Key key) {
  std::vector<std::uint32_t> items(count);
  std::iota(items.begin(), items.end(), 0u);
  std::stable_sort(items.begin(), items.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  return items;
}

class writer {
public:
  explicit writer(const graph& g) : g_(g), pair_of_(g.size(), no_pair) {
    for (std::uint32_t i = 0; i < g.made_pairs().size(); ++i) {
      pair_of_[index(g.made_pairs()[i].send)] = i;
      pair_of_[index(g.made_pairs()[i].recv)] = i;
    }
    for (const communicator& c : g.communicators())
      ++uses_of_name_[c.name];
    after_ = sorted_by(g.dependencies().size(), [&](std::uint32_t i) { return g.dependencies()[i].after; });
  }

  std::string run() {
    put("tacit graph 1\nranks {}\n", g_.ranks());
    for (std::size_t c = 1; c < g_.communicators().size(); ++c)
      communicator_line(g_.communicators()[c]);
    for (std::size_t i = 0; i < g_.reducers().size(); ++i)
      operator_line(i, g_.reducers()[i]);
    const auto operations = sorted_by(g_.size(), [&](std::uint32_t i) { return g_.operations()[i].rank; });
    const auto scratch =
        sorted_by(g_.scratch_bytes().size(), [&](std::uint32_t i) { return g_.scratch_bytes()[i].first; });
    const auto live =
        sorted_by(g_.live_out_bytes().size(), [&](std::uint32_t i) { return g_.live_out_bytes()[i].first; });
    auto op = operations.begin(), dead = scratch.begin(), kept = live.begin();
    while (op != operations.end() || dead != scratch.end() || kept != live.end()) {
      rank_id rank = no_rank;
      if (op != operations.end())
        rank = std::min(rank, g_.operations()[*op].rank);
      if (dead != scratch.end())
        rank = std::min(rank, g_.scratch_bytes()[*dead].first);
      if (kept != live.end())
        rank = std::min(rank, g_.live_out_bytes()[*kept].first);
      const std::size_t before = text_.size();
      put("\nrank {} {{\n", index(rank));
      const std::size_t inside = text_.size();
      for (; op != operations.end() && g_.operations()[*op].rank == rank; ++op)
        operation_line(op_id{*op});
      declared_bytes("scratch", rank, g_.scratch_bytes(), dead, scratch.end());
      declared_bytes("live", rank, g_.live_out_bytes(), kept, live.end());
      if (text_.size() == inside) // only targets, which stand with the operations of others
        text_.resize(before);
      else
        text_ += "}\n";
    }
    return std::move(text_);
  }

private:
  static constexpr std::uint32_t no_pair = 0xffffffffu;

  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void communicator_line(const communicator& c) {
    put("comm {} =", quoted(c.name));
    for (std::size_t i = 0; i < c.members.size();) {
      std::size_t end = i + 1;
      while (end < c.members.size() && index(c.members[end]) == index(c.members[end - 1]) + 1)
        ++end;
      put("{}{}", i == 0 ? " " : ", ", index(c.members[i]));
      if (end - i > 2)
        put("..{}", index(c.members[end - 1]));
      i = end - i > 2 ? end : i + 1;
    }
    text_ += '\n';
  }

  void operator_line(std::size_t number, const reducer& r) {
    put("operator op{} = {} {} {}{}{}{}{}\n", number, quoted(r.operation), quoted(r.type), r.element,
        r.commutative ? "" : " ordered", r.rounds ? " rounds" : "", r.varies ? " varies" : "",
        r.anywhere ? "" : " private");
  }

  void declared_bytes(std::string_view word, rank_id rank, std::span<const std::pair<rank_id, segment>> all,
                      std::vector<std::uint32_t>::const_iterator& at,
                      std::vector<std::uint32_t>::const_iterator end) {
    for (; at != end && all[*at].first == rank; ++at)
      put("  {} {:#x}+{}\n", word, all[*at].second.address, all[*at].second.length);
  }

  void segments(std::span<const segment> list) {
    if (list.empty())
      text_ += " nothing";
    for (std::size_t i = 0; i < list.size(); ++i)
      put("{}{:#x}+{}", i == 0 ? ' ' : ',', list[i].address, list[i].length);
  }

  void comm_of(comm_id comm) {
    if (comm == world)
      return;
    const auto& all = g_.communicators();
    const bool by_name = index(comm) < all.size() && uses_of_name_.at(all[index(comm)].name) == 1;
    put(" comm {}", by_name ? quoted(all[index(comm)].name) : std::to_string(index(comm)));
  }

  void operation_line(op_id id) {
    const operation& op = g_[id];
    const std::uint32_t pair = pair_of_[index(id)];
    if (pair != no_pair) {
      if (g_.made_pairs()[pair].origin != id)
        return; // written where it was made
      pair_line(id, g_.made_pairs()[pair]);
    } else {
      put("  {}: {}", index(id), name(op.kind));
      own_fields(id, op);
    }
    after(id);
    text_ += '\n';
  }

  void own_fields(op_id id, const operation& op) {
    switch (op.kind) {
    case op_kind::send:
    case op_kind::recv:
      segments(op.kind == op_kind::send ? g_.reads(id) : g_.writes(id));
      put(" {} {}", op.kind == op_kind::send ? "to" : "from", index(op.peer));
      if (op.tag != 0)
        put(" tag {}", op.tag);
      break;
    case op_kind::copy:
    case op_kind::reduce:
      segments(g_.reads(id));
      text_ += " ->";
      segments(g_.writes(id));
      break;
    case op_kind::opaque:
      if (!g_.reads(id).empty())
        text_ += " reads", segments(g_.reads(id));
      if (!g_.writes(id).empty())
        text_ += " writes", segments(g_.writes(id));
      break;
    case op_kind::fence:
      break;
    }
    comm_of(op.comm);
    if (const reducer_id by = g_.reduces_by(id); by != no_reducer)
      put(" by op{}", index(by));
  }

  void pair_line(op_id id, const made_pair& pair) {
    const bool is_put = pair.origin == pair.send;
    put("  {}: {}", index(id), is_put ? "put" : "get");
    segments(is_put ? g_.reads(id) : g_.writes(id));
    put(" {} {} at", is_put ? "to" : "from", index(g_[id].peer));
    segments(is_put ? g_.writes(pair.recv) : g_.reads(pair.send));
    const op_id other = is_put ? pair.recv : pair.send;
    if (has_dependencies(other)) {
      text_ += " target";
      after(other);
    }
  }

  bool has_dependencies(op_id id) const { return first_dependency(id) != after_.end(); }

  std::vector<std::uint32_t>::const_iterator first_dependency(op_id id) const {
    const auto found = std::lower_bound(after_.begin(), after_.end(), id, [&](std::uint32_t i, op_id wanted) {
      return g_.dependencies()[i].after < wanted;
    });
    return found != after_.end() && g_.dependencies()[*found].after == id ? found : after_.end();
  }

  void after(op_id id) {
    auto at = first_dependency(id);
    for (bool first = true; at != after_.end() && g_.dependencies()[*at].after == id; ++at, first = false) {
      text_ += first ? " after " : ", ";
      operation_name(g_.dependencies()[*at].before);
    }
  }

  void operation_name(op_id id) {
    const std::uint32_t pair = index(id) < g_.size() ? pair_of_[index(id)] : no_pair;
    if (pair == no_pair || g_.made_pairs()[pair].origin == id)
      put("{}", index(id));
    else
      put("{}.target", index(g_.made_pairs()[pair].origin));
  }

  const graph& g_;
  std::vector<std::uint32_t> pair_of_; ///< per operation: position in made_pairs
  std::vector<std::uint32_t> after_;   ///< positions of dependencies, sorted by the later operation
  std::map<std::string, int> uses_of_name_;
  std::string text_;
};

} // namespace

std::string write_graph(const graph& g) {
  return writer(g).run();
}

} // namespace tacit::graphs
