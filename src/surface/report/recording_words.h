// The facts of a recording's analysis in words: titles, sentences, names, and why something is left alone.
// Every number in them is also a value of the analysis.
#pragma once

#include "recordings/meaning/analysis.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::surface {

/// "collective", "neighbor exchange", …
std::string_view name(recordings::activity_kind kind);

/// "ring", "modified ring (on 4 ranks the same as two rings)", "pipelined binomial tree", …
std::string algorithm_text(const recordings::broadcast_algorithm& algorithm);
/// What names an algorithm in a title: without explanation, "modified ring or equal" if several are the same
/// on so few ranks.
std::string short_algorithm(const recordings::broadcast_algorithm& algorithm);
/// That of an activity; empty if none is known.
std::string algorithm_text(const recordings::activity& x);

/// "always 0", "cycle 0,1,2,3", "vary", "several at once"; empty for what has no roots.
std::string rule_text(const recordings::root_rule& rule);

/// Short: "broadcast, ring", "neighbor exchange", "irregular exchange".
std::string title_of(const recordings::activity& x);
/// Complete: "427 broadcasts on 1 communicator of 4 ranks, roots cycle 0,1,2,3, …".
std::string sentence_of(const recordings::analysis& a, const recordings::activity& x);
/// What the messages have the shape of, without being known to be it: names of patterns, "reduce", "allreduce",
/// "reduce_scatter", "scan", "exscan" or "pipeline"; if there are several, one of them. Empty for collectives that were found.
std::vector<std::string> shapes_of(const recordings::activity& x);
/// "observed in this run": never a proof.
std::string certainty_of(const recordings::activity& x);
/// One sentence about this program, with numbers.
std::string detail_of(const recordings::analysis& a, const recordings::activity& x,
                      recordings::obstacle what);
/// "MPI_Bcast on a row communicator", "MPI_Neighbor_alltoallv on a distributed graph topology".
std::string call_text(const recordings::analysis& a, const recordings::replacement& r);

/// What has to hold for that, as far as a recording cannot show it; empty if nothing is known to stand against it.
std::string condition_of(const recordings::replacement& r);

/// "rank 2, 0.81 s after the first rank's MPI_Init, in MPI_Recv from rank 1 at ring.c:33 (main)".
std::string end_text(const recordings::analysis& a, const recordings::rank_end& end);

/// Who calls the functions in which an activity's calls are: "solve (solver.c:20), from main (main.c:7)"; empty if not known.
std::string callers_text(const recordings::analysis& a, const recordings::activity& x);

/// What else the program does in the lines of an activity: "broadcast, ring (427 times); pairwise exchange (1,000
/// messages)"; empty if nothing. Its time and its messages are in cards of their own.
std::string same_lines_text(const recordings::analysis& a, const recordings::activity& x);

/// "world", or "communicator 3": by its position in the analysis.
std::string communicator_name(std::size_t number);
/// "all ranks", "row 0 of a 2x4 grid", "ranks 0,2,5".
std::string shape_text(const recordings::communicator_summary& c);

/// The best that is known: "bcast.c:120 (ring)", "ring+0x1a (hpcc)", "hpcc+0x4f20" or "an unknown location".
std::string location_text(const recordings::call_site& site);

} // namespace tacit::surface
