// When two graphs are the same to the compiler, as far as one rank can tell: what may be kept of the first one for the second.
//
// Equal bytes      what this rank would send to rank 0, and all else that the compiler looks at (settings, and on rank 0 the
//                  options), as one string of bytes. Hashes are filters; the bytes themselves are compared.
// Equal but moved  the same with other addresses. A graph uses *buffers*: the longest ranges of addresses that its operations and
//                  declarations touch without a gap. Compilation asks of addresses which bytes are the same and which lie side by
//                  side, and nothing else, and both are questions within one buffer. So if all buffers are numbered in the order in
//                  which the graph mentions them, and put in that order, one byte apart, the outcome is another graph of the same
//                  meaning; graphs with the same outcome differ in where their buffers are, each by a distance of its own. A plan
//                  for one, with each buffer moved, is a plan for the other. (Buffers that have come to touch each other are one:
//                  such graphs differ.)
//
// Numbers of added communicators are new each time: they are replaced by "the n-th one with these members", which names the same
// communicator on all its members, because adding is collective and blocks, so that they add any two of theirs in one order.
//
// Puts and gets name memory of other ranks, which moves with the buffers there; graphs that have some are not moved.
#pragma once

#include "runtime/run/program.h"
#include "runtime/schedule/wire.h"

#include <cstdint>
#include <vector>

namespace tacit::runtime {

struct graph_signature {
  std::uint64_t hash = 0;
  message bytes;
  friend bool operator==(const graph_signature& a, const graph_signature& b) {
    return a.hash == b.hash && a.bytes == b.bytes;
  }
};

/// `circumstances`: all that counts beside the graph.
graph_signature signature_of(const message& circumstances, const local_graph& g);

/// A graph without the places of its buffers, and these.
struct relative_graph {
  graph_signature signature;
  std::vector<graphs::segment> buffers; ///< in the order in which the graph mentions them
};
relative_graph without_places(const message& circumstances, local_graph g);
/// The same of the graph that is signed.
relative_graph without_places(const graph_signature& exact);

/// The same for graphs that differ in places only: a filter, as comparing graphs without places takes both apart. O(operations).
std::uint64_t hash_without_places(const local_graph& g);

/// False: it names memory of other ranks.
bool is_movable(const local_graph& g);

/// From the buffers of one graph to those of another one that differs in places only.
class moved_buffers {
public:
  moved_buffers(const std::vector<graphs::segment>& from, const std::vector<graphs::segment>& to);
  /// True if all memory of the user that the program names lies in these buffers.
  bool hold(const program& p) const;
  /// They must hold it.
  void move(program& p) const;

private:
  struct range {
    std::uint64_t begin, end, to;
  };
  const range* find(const graphs::segment& s) const;
  std::vector<range> ranges_; ///< by `begin`
};

} // namespace tacit::runtime
