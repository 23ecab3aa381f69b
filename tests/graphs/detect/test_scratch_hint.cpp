// Scratch memory that was not declared is named where it costs a collective, and nowhere else.
#include "graphs/compile/compile.h"
#include "graphs/generate/generate.h"

#include "vocabulary/calls/reasons.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tacit::graphs {
namespace {

/// A known algorithm, with or without its declarations.
graph generated(pattern kind, algorithm form, std::uint32_t ranks, bool declared) {
  recipe r;
  r.kind = kind;
  r.form = form;
  r.ranks = ranks;
  r.block = 8;
  diagnostics problems;
  const auto made = generate(r, problems);
  EXPECT_TRUE(made && problems.empty());
  graph out(ranks);
  std::vector<op_id> now;
  for (std::uint32_t i = 0; made && i < made->size(); ++i) {
    const operation& o = (*made)[op_id{i}];
    const auto reads = made->reads(op_id{i}), writes = made->writes(op_id{i});
    if (o.kind == op_kind::send)
      now.push_back(out.send(o.rank, reads, o.peer, o.tag));
    else if (o.kind == op_kind::recv)
      now.push_back(out.recv(o.rank, writes, o.peer, o.tag));
    else
      now.push_back(out.copy(o.rank, reads, writes));
  }
  for (const dependency& d : made->dependencies())
    out.depend(now[index(d.before)], now[index(d.after)]);
  for (const auto& [rank, bytes] : made->scratch_bytes())
    if (declared)
      out.scratch(rank, bytes);
  return out;
}

const diagnostic* hint(const compilation& c) {
  const auto found = std::find_if(c.problems.begin(), c.problems.end(), [](const diagnostic& d) {
    return d.code == number(reason::undeclared_scratch);
  });
  return found == c.problems.end() ? nullptr : &*found;
}

TEST(scratch_hint, names_the_collective_that_undeclared_scratch_hides) {
  struct example {
    pattern kind;
    algorithm form;
    std::string words;
  };
  for (const example& e : {example{pattern::gather, algorithm::binomial, "gather among 8 ranks"},
                           example{pattern::alltoall, algorithm::bruck, "alltoall among 8 ranks"}}) {
    const compilation open = compile(generated(e.kind, e.form, 8, false));
    ASSERT_NE(hint(open), nullptr) << e.words;
    EXPECT_EQ(hint(open)->level, severity::remark);
    EXPECT_NE(hint(open)->message.find(e.words), std::string::npos) << hint(open)->message;
    const compilation declared = compile(generated(e.kind, e.form, 8, true));
    EXPECT_EQ(hint(declared), nullptr) << hint(declared)->message;
    ASSERT_EQ(declared.found.found.size(), 1u);
    EXPECT_EQ(declared.found.found.front().kind, e.kind);
  }
}

/// What is passed on there is also wanted.
TEST(scratch_hint, is_silent_about_trees_and_rings_whose_bytes_are_results) {
  for (const std::uint32_t ranks : {3u, 4u, 5u, 8u})
    for (const known_algorithm& what : known_algorithms()) {
      if (what.kind != pattern::bcast && what.kind != pattern::allgather)
        continue;
      const compilation c = compile(generated(what.kind, what.form, ranks, true));
      EXPECT_EQ(hint(c), nullptr) << name(what.kind) << " " << name(what.form) << ": " << hint(c)->message;
    }
}

TEST(scratch_hint, is_silent_about_halos_and_messages_passed_on) {
  graph ring(4), chain(4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const rank_id me{i}, next{(i + 1) % 4}, before{(i + 3) % 4};
    ring.recv(me, {0x100, 8}, before);
    ring.send(me, {0x200, 8}, next);
  }
  for (std::uint32_t i = 0; i + 1 < 4; ++i) {
    const op_id sent = chain.send(rank_id{i}, {0x100, 8}, rank_id{i + 1});
    if (i > 0)
      chain.depend(op_id{static_cast<std::uint32_t>(index(sent) - 1)}, sent);
    chain.recv(rank_id{i + 1}, {0x100, 8}, rank_id{i});
  }
  EXPECT_EQ(hint(compile(ring)), nullptr);
  EXPECT_EQ(hint(compile(chain)), nullptr);
}

} // namespace
} // namespace tacit::graphs
