// Groups that no communicator names but whose ranks may communicate collectively all the same: hypotheses, each verified exactly by the
// searches of the families (detect.cpp).
//
// Which subset of ranks has the largest collective is NP-hard in general (seed 000 section 4), so only these are looked at, by what
// the transfers say that no finding has taken:
//
//   components   ranks that exchange with nobody else, as the rows of a grid do in a transpose of rows
//   lattices     ranks at a constant distance that divide all ranks evenly, each exchanging with all others of its own: rows and
//                columns at the same time, and lines and planes of a grid of more dimensions
//   stars        a rank and those that all get the same bytes from it, if that is most ranks, if it sends to twice as many ranks as
//                any of them, or if such groups are lattices all of them
//   most         all but few: what is left when ranks that do not exchange with all others are taken away, the poorest first
//   even fans    a rank and those to which it sends (from which it gets) one block each, none more than a quarter longer than another, as
//                where elements are dealt out; else as fans
//   fans         a rank and those to which it sends (from which it gets) equally many bytes, of which each has at most half as many
//                partners; the largest first: the largest rooted subsets (section 4.2), which are polynomial
//   uneven fans  a rank and all with which it exchanges one way, if each of them has at most half as many partners: blocks of any length
#pragma once

#include "graphs/detect/ledger.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tacit::graphs {

using rank_set = std::vector<rank_id>; ///< ascending

std::vector<rank_set> components(const ledger& book, std::uint32_t ranks);
std::vector<rank_set> lattices(const ledger& book, std::uint32_t ranks);
/// Likewise by the partners of one rank, itself among them (by rank): what fits those, everywhere.
std::vector<rank_set> lattices_around(std::uint32_t rank, const std::vector<bool>& partner);
std::vector<rank_set> stars(const ledger& book, std::uint32_t ranks);
std::vector<rank_set> most_ranks(const ledger& book, std::uint32_t ranks);
std::vector<rank_set> even_fans(const ledger& book, std::uint32_t ranks);
std::vector<rank_set> fans(const ledger& book, std::uint32_t ranks);
std::vector<rank_set> uneven_fans(const ledger& book, std::uint32_t ranks);

/// Of ranks that exchange with nobody else: so large a share of the pairs does, or one of four ranks or more sends or gets everything. In vector
/// collectives of these pairs may lack: smaller groups would take away from what has this shape.
bool exchange_as_a_whole(const ledger& book, const rank_set& members, double density);

/// Some ranks exchange nothing, and so large a share of the pairs of the others does that it is theirs alone, and no vector collective of all.
bool concerns_fewer(const ledger& book, std::uint32_t ranks, const detect_options& options);

/// "ranks-0-3", "ranks-0-12-by-4", "ranks-0-1-5", "9-ranks-of-0-40"; the first member first ("ranks-3-0"), as scans need it.
std::string name_of_group(const std::vector<rank_id>& members);
/// The same, or with a number if that is taken.
std::string new_name(const std::vector<rank_id>& members, std::span<const communicator> known,
                     std::span<const communicator> groups);

} // namespace tacit::graphs
