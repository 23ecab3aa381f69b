// What the messages of a task program are, element by element: the slow, obvious oracle of src/tasks, sharing no code with it.
//
// Every item of an execution range is dealt to a rank, every item touches elements one at a time, every element of a buffer has
// the rank that wrote it last and the set of ranks that hold that value. A task needs elements; what a rank lacks, the last
// writer sends it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tacit::oracle {

using where = std::array<int, 3>;

/// `mirrored` is a function of the user that is none of the catalogue: rows from the other end.
enum class way { one_to_one, all, fixed, slice, around, cross, transposed, even, mirrored };
inline constexpr int ways = 9;

/// What an item touches: `numbers` are the border, the order of dimensions (-1: the buffer has one element there), the fixed box
/// (begin), or the dimension of a slice.
struct touch {
  way how = way::one_to_one;
  std::array<int, 3> numbers{0, 0, 0}, ends{0, 0, 0};
};

enum class division { rows, tiles, single };

struct use {
  int buffer = 0;
  bool reads = true, writes = false;
  touch what;
};

struct job {
  where begin{0, 0, 0}, size{1, 1, 1};
  division split = division::rows;
  std::vector<int> weights;
  std::vector<use> uses;
  int reduces_into = -1;      ///< a buffer, all of it
  bool on_every_rank = false; ///< a fence: each rank runs it, for its own item
};

struct program {
  int ranks = 1;
  std::vector<where> buffers; ///< extents; initialized everywhere
  std::vector<job> jobs;
};

inline int volume(const where& size) {
  return size[0] * size[1] * size[2];
}

/// How many of n things each of `parts` gets: as even as possible, the first ones one more.
inline std::vector<int> dealt(int n, int parts) {
  std::vector<int> out(static_cast<std::size_t>(parts), 0);
  for (int i = 0; i < n; ++i)
    ++out[static_cast<std::size_t>(i % parts)];
  return out;
}

/// Part of each coordinate.
inline std::vector<int> part_of_coordinates(const std::vector<int>& counts) {
  std::vector<int> out;
  for (std::size_t part = 0; part < counts.size(); ++part)
    out.insert(out.end(), static_cast<std::size_t>(counts[part]), static_cast<int>(part));
  return out;
}

inline std::vector<int> by_weight(int n, const std::vector<int>& weights) {
  long sum = 0, so_far = 0;
  for (const int w : weights)
    sum += w;
  std::vector<int> counts;
  int before = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    so_far += weights[i];
    const int end = i + 1 == weights.size() ? n : static_cast<int>(n * so_far / (sum > 0 ? sum : 1));
    counts.push_back(end - before);
    before = end;
  }
  return counts;
}

/// Rows and columns of tiles: as many ranks as possible, then the least rows' length plus columns' length, then the fewest rows.
inline std::array<int, 2> tiles_of(const where& size, int ranks) {
  std::array<int, 2> best{1, 1};
  for (int rows = 1; rows <= ranks && rows <= size[0]; ++rows)
    for (int columns = 1; rows * columns <= ranks && columns <= size[1]; ++columns) {
      const int used = rows * columns, most = best[0] * best[1];
      const double border = static_cast<double>(size[0]) / rows + static_cast<double>(size[1]) / columns;
      const double least = static_cast<double>(size[0]) / best[0] + static_cast<double>(size[1]) / best[1];
      if (used > most || (used == most && border < least))
        best = {rows, columns};
    }
  return best;
}

/// The rank of each item of a job.
inline std::map<where, int> ranks_of_items(const job& j, int ranks) {
  std::vector<int> row(static_cast<std::size_t>(j.size[0]), 0),
      column(static_cast<std::size_t>(j.size[1]), 0);
  int columns = 1;
  if (j.split == division::rows)
    row = part_of_coordinates(
        j.weights.empty() ? dealt(j.size[0], ranks < j.size[0] ? ranks : (j.size[0] > 0 ? j.size[0] : 1))
                          : by_weight(j.size[0], j.weights));
  if (j.split == division::tiles) {
    const std::array<int, 2> tiles = tiles_of(j.size, ranks);
    row = part_of_coordinates(dealt(j.size[0], tiles[0]));
    column = part_of_coordinates(dealt(j.size[1], tiles[1]));
    columns = tiles[1];
  }
  std::map<where, int> out;
  for (int x = 0; x < j.size[0]; ++x)
    for (int y = 0; y < j.size[1]; ++y)
      for (int z = 0; z < j.size[2]; ++z)
        out[{j.begin[0] + x, j.begin[1] + y, j.begin[2] + z}] =
            row[static_cast<std::size_t>(x)] * columns + column[static_cast<std::size_t>(y)];
  return out;
}

/// Whether an item touches an element: the meaning of each mapper, said of one of each.
inline bool touches(const touch& t, const where& item, const where& element, const job& j,
                    const where& extent) {
  const auto near = [&](int d, int border) {
    return element[d] >= item[d] - border && element[d] <= item[d] + border;
  };
  switch (t.how) {
  case way::one_to_one:
    return element == item;
  case way::all:
    return true;
  case way::fixed:
    for (int d = 0; d < 3; ++d)
      if (element[d] < t.numbers[d] || element[d] >= t.ends[d])
        return false;
    return true;
  case way::slice:
    for (int d = 0; d < 3; ++d)
      if (d != t.numbers[0] && element[d] != item[d])
        return false;
    return true;
  case way::around:
    return near(0, t.numbers[0]) && near(1, t.numbers[1]) && near(2, t.numbers[2]);
  case way::cross: {
    int far = 0;
    for (int d = 0; d < 3; ++d) {
      if (!near(d, t.numbers[d]))
        return false;
      far += element[d] != item[d] ? 1 : 0;
    }
    return far <= 1;
  }
  case way::transposed:
    for (int d = 0; d < 3; ++d)
      if (element[d] != (t.numbers[d] < 0 ? 0 : item[t.numbers[d]]))
        return false;
    return true;
  case way::mirrored:
    return element[0] == extent[0] - 1 - item[0] && element[1] == item[1] && element[2] == item[2];
  case way::even: { // in multiples of numbers[0]
    const int granularity = t.numbers[0], granules = (extent[0] + granularity - 1) / granularity;
    const int x = item[0] - j.begin[0], granule = element[0] / granularity;
    return granule >= x * granules / j.size[0] && granule < (x + 1) * granules / j.size[0];
  }
  }
  return false;
}

struct element_of {
  int buffer = 0;
  where at{};
  auto operator<=>(const element_of&) const = default;
};

/// A value of an element (the job that wrote it, -1 in the beginning) that travels.
struct arrival {
  element_of what;
  int version = -1, from = 0, to = 0;
  auto operator<=>(const arrival&) const = default;
};

inline std::vector<element_of> elements_of(int buffer, const where& extent) {
  std::vector<element_of> out;
  for (int x = 0; x < extent[0]; ++x)
    for (int y = 0; y < extent[1]; ++y)
      for (int z = 0; z < extent[2]; ++z)
        out.push_back({buffer, {x, y, z}});
  return out;
}

/// By rank, what a job reads or writes.
using touched_by_rank = std::vector<std::set<element_of>>;

inline touched_by_rank touched(const program& p, const job& j, bool writing) {
  touched_by_rank out(static_cast<std::size_t>(p.ranks));
  const std::map<where, int> items = ranks_of_items(j, p.ranks);
  for (const use& u : j.uses) {
    if (writing ? !u.writes : !u.reads)
      continue;
    const where& extent = p.buffers[static_cast<std::size_t>(u.buffer)];
    for (const element_of& e : elements_of(u.buffer, extent)) {
      if (j.on_every_rank) {
        for (auto& of_rank : out)
          if (touches(u.what, j.begin, e.at, j, extent))
            of_rank.insert(e);
        continue;
      }
      for (const auto& [item, rank] : items)
        if (touches(u.what, item, e.at, j, extent))
          out[static_cast<std::size_t>(rank)].insert(e);
    }
  }
  return out;
}

/// What must hold when a program has run.
struct expectation {
  bool valid = true;          ///< no element is written by two ranks in one job, none lies outside
  std::set<arrival> arrivals; ///< each once
  std::vector<touched_by_rank> needed, written;    ///< by job
  std::vector<std::map<element_of, int>> versions; ///< by job: the value of each element before it
};

inline expectation expect(const program& p) {
  expectation out;
  std::map<element_of, int> version, owner;
  std::map<element_of, std::set<int>> holders;
  for (std::size_t b = 0; b < p.buffers.size(); ++b)
    for (const element_of& e : elements_of(static_cast<int>(b), p.buffers[b])) {
      version[e] = -1;
      owner[e] = 0;
      for (int r = 0; r < p.ranks; ++r)
        holders[e].insert(r);
    }
  for (std::size_t n = 0; n < p.jobs.size(); ++n) {
    out.versions.push_back(version);
    out.needed.push_back(touched(p, p.jobs[n], false));
    out.written.push_back(touched(p, p.jobs[n], true));
    for (int rank = 0; rank < p.ranks; ++rank)
      for (const element_of& e : out.needed[n][static_cast<std::size_t>(rank)])
        if (holders[e].insert(rank).second)
          out.arrivals.insert({e, version[e], owner[e], rank});
    std::map<element_of, int> writer;
    for (int rank = 0; rank < p.ranks; ++rank)
      for (const element_of& e : out.written[n][static_cast<std::size_t>(rank)])
        if (const auto [at, fresh] = writer.emplace(e, rank); !fresh && at->second != rank)
          out.valid = false;
    for (const auto& [e, rank] : writer) {
      version[e] = static_cast<int>(n);
      owner[e] = rank;
      holders[e] = {rank};
    }
    // What is combined from partial values may be anywhere: how it came there is no matter of single elements.
    if (const int b = p.jobs[n].reduces_into; b >= 0)
      for (const element_of& e : elements_of(b, p.buffers[static_cast<std::size_t>(b)])) {
        version[e] = static_cast<int>(n);
        for (int r = 0; r < p.ranks; ++r)
          holders[e].insert(r);
      }
  }
  return out;
}

} // namespace tacit::oracle
