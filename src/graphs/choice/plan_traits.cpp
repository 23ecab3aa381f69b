#include "graphs/choice/plan_traits.h"

#include <algorithm>
#include <tuple>

namespace tacit::graphs {

bool has_collectives(const plan& p) {
  return std::any_of(p.ranks.begin(), p.ranks.end(), [](const rank_plan& r) {
    return std::any_of(r.steps.begin(), r.steps.end(),
                       [](const step& s) { return s.kind == step_kind::collective; });
  });
}

bool has_vector_collectives(const plan& p) {
  return std::any_of(p.ranks.begin(), p.ranks.end(), [](const rank_plan& r) {
    return std::any_of(r.steps.begin(), r.steps.end(), [](const step& s) {
      return s.kind == step_kind::collective && !is_uniform(s.collective);
    });
  });
}

bool has_linear_form(const plan& p) {
  return std::any_of(p.ranks.begin(), p.ranks.end(), [](const rank_plan& r) {
    return std::any_of(r.steps.begin(), r.steps.end(), [](const step& s) {
      return s.kind == step_kind::collective &&
             (is_scan(s.collective) || s.order > 0 || row_of(s.collective).moves == signature::all_into_each);
    });
  });
}

bool has_ordered(const plan& p) {
  return !p.orders.empty();
}

namespace {

bool leaves_at_once(const rank_plan& p) {
  return std::all_of(p.steps.begin(), p.steps.end(), [&](const step& s) {
    return std::all_of(s.after.begin(), s.after.end(),
                       [&](std::uint32_t before) { return p.steps[before].kind == step_kind::copy; });
  });
}

} // namespace

bool leaves_at_once(const plan& p) {
  return std::all_of(p.ranks.begin(), p.ranks.end(), [](const rank_plan& r) { return leaves_at_once(r); });
}

bool same_messages(const plan& a, const plan& b) {
  const auto messages = [](const rank_plan& p) {
    std::vector<const step*> list;
    for (const step& s : p.steps)
      list.push_back(&s);
    const auto before = [](const step* x, const step* y) {
      const auto key = [](const step& s) {
        const std::span<const segment> bytes = s.kind == step_kind::send ? s.reads : s.writes;
        return std::tuple(s.kind, s.peer, bytes.empty() ? 0 : bytes.front().address, s.tag);
      };
      return key(*x) < key(*y);
    };
    std::sort(list.begin(), list.end(), before);
    return list;
  };
  const auto alike = [](const step* x, const step* y) {
    return x->kind != step_kind::collective && x->after.empty() && y->after.empty() && x->kind == y->kind &&
           x->peer == y->peer && x->reads == y->reads && x->writes == y->writes;
  };
  for (std::size_t r = 0; r < a.ranks.size(); ++r) {
    if (a.ranks[r].steps.size() != b.ranks[r].steps.size())
      return false;
    const auto mine = messages(a.ranks[r]), theirs = messages(b.ranks[r]);
    if (!std::equal(mine.begin(), mine.end(), theirs.begin(), alike))
      return false;
  }
  return true;
}

std::size_t most_steps(const plan& p) {
  std::size_t most = 0;
  for (const rank_plan& r : p.ranks)
    most = std::max(most, r.steps.size());
  return most;
}

collective_calls most_collectives(const plan& p) {
  collective_calls most;
  for (const rank_plan& r : p.ranks) {
    collective_calls here;
    for (const step& s : r.steps)
      if (s.kind == step_kind::collective) {
        ++here.all;
        here.combining += is_reduction(s.collective) ? 1 : 0;
      }
    most = {std::max(most.all, here.all), std::max(most.combining, here.combining)};
  }
  return most;
}

findings nothing_found(const transfers& t) {
  findings none;
  for (std::uint32_t i = 0; i < t.list.size(); ++i)
    none.residual.push_back({0, t.list[i].length, i});
  return none;
}

double beyond_messages(const plan& messages, std::string_view driver) {
  constexpr double engine = 150; // for each step
  const bool by_engine = driver != "shm" || !leaves_at_once(messages);
  return by_engine ? engine * static_cast<double>(most_steps(messages)) : 0;
}

} // namespace tacit::graphs
