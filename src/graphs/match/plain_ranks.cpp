// Problem: to list the operations of each rank, and what comes before each of them, costs more than the search for races itself, and
// nearly all ranks of large graphs use their memory in one of two plain ways.
//
// Idea: (1) A rank that reads one stretch of memory and writes another one, each byte once, has no conflicts at all. Whether it
// writes each byte once is seen at once if it writes in ascending order, from some place on round to that place. (2) A rank
// of which one operation alone writes, as where a message is passed on, has only conflicts with that operation; a
// direct dependency orders each of them. Both need nothing but a few numbers a rank, a bit or two an operation, and a look
// at all operations in the order in which they lie. A receive counts with all that it has room for, so that its send need not be looked
// at: more conflicts than there are make a rank be searched, never the other way round.
#include "graphs/match/plain_ranks.h"

#include "vocabulary/base/huge_pages.h"

#include <algorithm>

namespace tacit::graphs {
namespace {

/// Of one rank. Stretches of memory are given by their first byte and the one behind the last.
struct memory_use {
  std::uint64_t read_begin = ~std::uint64_t{0}, read_end = 0;
  std::uint64_t write_begin = ~std::uint64_t{0}, write_end = 0;
  std::uint64_t first_written = 0, last_end = 0; ///< begin of the first write, end of the last one
  op_id writer = no_op;                          ///< the last operation that writes
  bool round = false;                            ///< writes have begun from below again
  bool in_turn = true;                           ///< no byte is written twice, for sure
  bool one_writer = true;

  void read(const segment& s) {
    read_begin = std::min(read_begin, s.address);
    read_end = std::max(read_end, s.address + s.length);
  }
  void write(op_id op, const segment& s) {
    const std::uint64_t end = s.address + s.length;
    if (writer == no_op) {
      first_written = s.address;
    } else {
      one_writer = one_writer && writer == op;
      const bool ascends = s.address >= last_end;
      in_turn = in_turn && (round || !ascends ? end <= first_written && (ascends || !round) : true);
      round = round || !ascends;
    }
    writer = op;
    last_end = end;
    write_begin = std::min(write_begin, s.address);
    write_end = std::max(write_end, end);
  }
  bool meets_reads() const { return read_begin < write_end && write_begin < read_end; }
  /// Whatever it does beside, it is not plain and has several writers.
  bool is_settled() const { return !one_writer && (!in_turn || meets_reads()); }
  bool is_plain() const { return writer == no_op || (in_turn && !meets_reads()); }
};

class survey {
public:
  explicit survey(const graph& g) : g_(g) {
    vocabulary::reserve_huge(use_, g.ranks());
    use_.resize(g.ranks());
  }

  std::vector<std::uint32_t> run() {
    for (std::uint32_t i = 0; i < g_.size(); ++i)
      look_at(op_id{i});
    std::vector<std::uint32_t> open;
    bool writer_alone = false;
    for (std::uint32_t r = 0; r < use_.size(); ++r)
      if (!use_[r].is_plain()) {
        open.push_back(r);
        writer_alone = writer_alone || use_[r].one_writer;
      }
    if (!writer_alone)
      return open;
    look_around_writers(open);
    std::erase_if(open, [&](std::uint32_t r) { return use_[r].is_plain(); });
    return open;
  }

private:
  void look_at(op_id id) {
    const operation& op = g_[id];
    memory_use& use = use_[index(op.rank)];
    if (!op.pooled) {
      if (op.data.length == 0)
        return;
      if (op.kind == op_kind::send)
        use.read(op.data);
      else if (op.kind == op_kind::recv)
        use.write(id, op.data);
      return;
    }
    if (use.is_settled())
      return; // its lists may be long
    for (const segment& s : g_.reads(id))
      if (s.length > 0)
        use.read(s);
    for (const segment& s : g_.writes(id))
      if (s.length > 0)
        use.write(id, s);
  }

  /// Ranks with one writer become plain if a dependency stands between it and each of those that may read what it writes.
  void look_around_writers(const std::vector<std::uint32_t>& open) {
    std::vector<bool> alone(g_.size(), false), beside(g_.size(), false);
    for (const std::uint32_t r : open)
      if (use_[r].one_writer)
        alone[index(use_[r].writer)] = true;
    for (const dependency& d : g_.dependencies()) {
      if (alone[index(d.before)])
        beside[index(d.after)] = true;
      if (alone[index(d.after)])
        beside[index(d.before)] = true;
    }
    std::vector<bool> conflicts(use_.size(), false);
    for (std::uint32_t i = 0; i < g_.size(); ++i)
      if (!alone[i] && !beside[i] && may_conflict(op_id{i}))
        conflicts[index(g_[op_id{i}].rank)] = true;
    for (const std::uint32_t r : open)
      if (use_[r].one_writer && !conflicts[r])
        use_[r] = {};
  }

  bool may_conflict(op_id id) const {
    const memory_use& use = use_[index(g_[id].rank)];
    if (use.is_plain())
      return false;
    const auto reads = g_.reads(id);
    return std::any_of(reads.begin(), reads.end(), [&](const segment& s) {
      return s.length > 0 && s.address < use.write_end && use.write_begin < s.address + s.length;
    });
  }

  const graph& g_;
  std::vector<memory_use> use_; ///< by rank
};

} // namespace

std::vector<std::uint32_t> ranks_to_search(const graph& g) {
  return survey(g).run();
}

} // namespace tacit::graphs
