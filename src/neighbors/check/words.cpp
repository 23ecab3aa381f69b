// Pieces as words: lists with their lengths before them.
#include "neighbors/check/check.h"

namespace tacit::neighbors {
namespace {

using words = std::vector<std::uint64_t>;

void put(words& out, std::span<const graphs::segment> bytes) {
  out.push_back(bytes.size());
  for (const graphs::segment& s : bytes)
    out.insert(out.end(), {s.address, s.length});
}

void put(words& out, const std::vector<edge>& edges,
         const std::vector<std::vector<graphs::segment>>& blocks) {
  out.push_back(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    out.insert(out.end(), {index(edges[i].peer), edges[i].channel});
    put(out, blocks[i]);
  }
}

class reader {
public:
  explicit reader(std::span<const std::uint64_t> rest) : rest_(rest) {}

  std::uint64_t next() {
    const std::uint64_t word = rest_.front();
    rest_ = rest_.subspan(1);
    return word;
  }
  std::vector<graphs::segment> segments() {
    std::vector<graphs::segment> out(next());
    for (graphs::segment& s : out) {
      s.address = next();
      s.length = next();
    }
    return out;
  }
  void edges(std::vector<edge>& into, std::vector<std::vector<graphs::segment>>& blocks) {
    into.resize(next());
    for (edge& e : into) {
      e.peer = rank_id{static_cast<std::uint32_t>(next())};
      e.channel = static_cast<std::uint32_t>(next());
      blocks.push_back(segments());
    }
  }

private:
  std::span<const std::uint64_t> rest_;
};

} // namespace

std::vector<std::uint64_t> words_of(const rank_piece& piece) {
  words out;
  put(out, piece.edges.sources, piece.blocks.in);
  put(out, piece.edges.destinations, piece.blocks.out);
  out.insert(out.end(), {piece.plan.scratch_bytes, piece.plan.steps.size()});
  for (const graphs::step& s : piece.plan.steps) {
    out.insert(out.end(), {static_cast<std::uint64_t>(s.kind), index(s.peer),
                           static_cast<std::uint32_t>(s.tag), s.after.size()});
    out.insert(out.end(), s.after.begin(), s.after.end());
    put(out, s.reads);
    put(out, s.writes);
  }
  return out;
}

rank_piece piece_of(std::span<const std::uint64_t> from) {
  reader in(from);
  rank_piece out;
  in.edges(out.edges.sources, out.blocks.in);
  in.edges(out.edges.destinations, out.blocks.out);
  out.plan.scratch_bytes = in.next();
  out.plan.steps.resize(in.next());
  for (graphs::step& s : out.plan.steps) {
    s.kind = static_cast<graphs::step_kind>(in.next());
    s.peer = rank_id{static_cast<std::uint32_t>(in.next())};
    s.tag = static_cast<std::int32_t>(in.next());
    s.after.resize(in.next());
    for (std::uint32_t& before : s.after)
      before = static_cast<std::uint32_t>(in.next());
    s.reads = in.segments();
    s.writes = in.segments();
  }
  return out;
}

} // namespace tacit::neighbors
