// The messages of a part of the program (a phase on one communicator) are read as a stream, from the beginning. At
// each place every known shape (known_shapes.h) says how many of the next operations of each rank would belong to it; they
// count if they are closed (nothing crosses their edges, nothing else lies in between) and have exactly the partners, sizes
// and contents of the shape. Otherwise the next operations that belong together are passed over.
//
// Contents decide where shapes alone would lie. Zero-byte messages are one stream for the whole communicator: the two halves
// of a barrier are often written in different lines.
#include "recordings/meaning/shapes.h"

#include "recordings/meaning/known_messages.h"
#include "recordings/meaning/known_shapes.h"
#include "recordings/meaning/stream.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace tacit::recordings {
namespace {

constexpr std::uint32_t most_skips = 2000; ///< in a row, after which nothing is looked for in a stream
constexpr std::uint32_t most_ranks = 1u << 12;
constexpr std::ptrdiff_t rounds_beyond_chance = 3; ///< for every pair to meet is no chance

/// Of messages that belong to one phase. The first that fits is taken.
constexpr shape_reader* shapes_of_phase[] = {
    exchanges_by_bits,  folded_allreduce, dissemination,      central_barrier,   every_pair,
    blocks_by_doubling, ring_of_chunks,   prefix_by_doubling, prefix_of_shifted, tree_to_root,
    blocks_to_root,     tree_from_root,   blocks_from_root,   star_to_root};
/// What programs write in several lines: looked for among all that is left of a group.
constexpr shape_reader* shapes_of_group[] = {folded_allreduce, star_to_root};

using shape_readers = std::span<shape_reader* const>;

std::optional<shaped_portion> shape_here(shape_readers readers, const known_messages& known,
                                         const stream& in) {
  if (in.at_end())
    return {};
  for (shape_reader* const one : readers)
    if (auto found = one(known, in))
      return found;
  return {};
}

shaped_messages messages_of(const shaped_portion& found, std::uint32_t group, const message_table& table,
                            const stream& in) {
  shaped_messages made;
  made.messages = in.messages(found.count);
  made.shape = found.shape;
  made.kind = found.kind;
  made.root = found.root;
  made.refilled = found.refilled;
  made.if_equal_by_chance = found.if_equal_by_chance;
  made.group = group;
  for (const std::uint32_t id : made.messages)
    made.block = std::max(made.block, table.messages[id].bytes);
  return made;
}

std::vector<shaped_messages> read_shapes(shape_readers readers, const known_messages& known, stream& in,
                                         std::uint32_t group) {
  std::vector<shaped_messages> all;
  for (std::uint32_t skipped = 0; skipped < most_skips;) {
    if (const auto found = shape_here(readers, known, in)) {
      all.push_back(messages_of(*found, group, known.table, in));
      in.advance(found->count);
      skipped = 0;
    } else {
      if (!in.skip())
        break;
      ++skipped;
    }
  }
  return all;
}

/// What is sent to every rank may be the same now and then without being meant to be: numbers of items, empty fields. If
/// one place in the program sends different blocks in some round, it is no allgather in the others either; all of them are alltoalls.
void widen_equal_blocks(std::vector<shaped_messages>& all) {
  if (std::ranges::none_of(all, &shaped_messages::refilled))
    return;
  for (shaped_messages& one : all)
    if (one.if_equal_by_chance != message_shape::no_shape) {
      one.shape = std::exchange(one.if_equal_by_chance, message_shape::no_shape);
      one.refilled = true;
    }
}

/// Few rounds through one buffer, filled anew each time, may meet every pair by chance; on three ranks, where every pair are the two
/// neighbors of a ring, many rounds may.
void drop_chance(std::vector<shaped_messages>& all, std::size_t ranks) {
  if (ranks < 4 || std::ranges::count_if(all, &shaped_messages::refilled) < rounds_beyond_chance)
    std::erase_if(all, [](const shaped_messages& one) { return one.refilled; });
}

} // namespace

std::vector<shaped_messages> find_shapes(const recording_set& recorded, const message_table& table,
                                         const provenance& data, const episode_list& episodes,
                                         const fact_table& facts, const std::vector<phase>& phases) {
  using part = std::pair<std::uint32_t, phase>; // messages without data: the whole group
  std::map<part, std::vector<std::uint32_t>> parts;
  std::set<std::uint32_t> judged; // of allgathers whose data was followed: only what contradicts them counts
  for (std::uint32_t e = 0; e < episodes.size(); ++e) {
    const episode_facts& f = facts.of_episode[e];
    const std::size_t ranks = table.groups[f.group].members.size();
    if ((f.seen && f.why_not == doubt::no_doubt) || ranks < 3 || ranks > most_ranks ||
        table.groups[f.group].inter)
      continue;
    const auto ids = episodes.of(e);
    if (f.seen && f.why_not == doubt::tiny && row_of(f.kind).moves == signature::each_to_all)
      judged.insert(ids.begin(), ids.end());
    const bool empty =
        std::all_of(ids.begin(), ids.end(), [&](std::uint32_t id) { return table.messages[id].bytes == 0; });
    std::vector<std::uint32_t>& list = parts[{f.group, empty ? phase{none, 0} : phases[e]}];
    list.insert(list.end(), ids.begin(), ids.end());
  }
  std::vector<shaped_messages> all;
  if (parts.empty())
    return all;
  const known_messages known{recorded, table, data};
  group_positions positions(table);
  const std::vector<group_activity> around = list_group_activity(recorded, table, positions);
  for (const auto& [where, messages] : parts) {
    stream read(recorded, table, positions, where.first, messages, around[where.first]);
    auto found = read_shapes(shapes_of_phase, known, read, where.first);
    widen_equal_blocks(found);
    drop_chance(found, table.groups[where.first].members.size());
    std::erase_if(found, [&](const shaped_messages& one) {
      return !one.refilled &&
             std::ranges::all_of(one.messages, [&](std::uint32_t id) { return judged.contains(id); });
    });
    all.insert(all.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  std::set<std::uint32_t> taken;
  for (const shaped_messages& one : all)
    taken.insert(one.messages.begin(), one.messages.end());
  std::map<std::uint32_t, std::vector<std::uint32_t>> left; // by group
  for (const auto& [where, messages] : parts)
    std::copy_if(messages.begin(), messages.end(), std::back_inserter(left[where.first]),
                 [&](std::uint32_t id) { return !taken.contains(id); });
  for (const auto& [group, messages] : left) {
    stream read(recorded, table, positions, group, messages, around[group]);
    auto found = read_shapes(shapes_of_group, known, read, group);
    all.insert(all.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  return all;
}

} // namespace tacit::recordings
