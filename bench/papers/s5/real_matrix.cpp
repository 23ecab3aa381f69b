// The exchange before a product y = A x of a sparse matrix: rows and entries of x are cut by METIS into as
// many parts as there are ranks; a rank sends each other one the entries of its x that the other's rows need.
#include "real_case.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <numeric>
#include <sstream>
#ifdef TACIT_BENCH_METIS
#include <metis.h>
#endif

namespace bench {
namespace {

/// Rows of column numbers; all entries are one.
struct sparse {
  std::vector<std::int32_t> first{0}, columns;
  int rows() const { return static_cast<int>(first.size()) - 1; }
};

using entries = std::vector<std::pair<std::int32_t, std::int32_t>>;

sparse rows_of(int n, entries list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  sparse a;
  a.first.assign(static_cast<std::size_t>(n) + 1, 0);
  for (const auto& [row, column] : list) {
    ++a.first[static_cast<std::size_t>(row) + 1];
    a.columns.push_back(column);
  }
  std::partial_sum(a.first.begin(), a.first.end(), a.first.begin());
  return a;
}

/// Matrix Market, or METIS's own format of graphs (without weights). Empty if it is neither.
sparse read_matrix(const std::string& name) {
  std::ifstream file(name);
  std::string line;
  entries list;
  int n = 0;
  if (!std::getline(file, line))
    return {};
  const bool market = line.starts_with("%%MatrixMarket");
  const bool symmetric = line.find("symmetric") != std::string::npos;
  while (line.starts_with("%"))
    std::getline(file, line);
  std::istringstream(line) >> n;
  for (std::int32_t row = 0; std::getline(file, line);) {
    if (line.starts_with("%"))
      continue;
    std::istringstream words(line);
    std::int32_t i = 0, j = 0;
    if (market && words >> i >> j) {
      list.emplace_back(i - 1, j - 1);
      if (symmetric)
        list.emplace_back(j - 1, i - 1);
    }
    if (!market && row < n) {
      list.emplace_back(row, row);
      while (words >> j)
        list.emplace_back(row, j - 1);
      ++row;
    }
  }
  return rows_of(n, std::move(list));
}

#ifdef TACIT_BENCH_METIS
std::vector<std::int32_t> cut(const sparse& a, int parts) {
  entries both;
  for (std::int32_t row = 0; row < a.rows(); ++row)
    for (std::int32_t k = a.first[static_cast<std::size_t>(row)];
         k < a.first[static_cast<std::size_t>(row) + 1]; ++k)
      if (const std::int32_t column = a.columns[static_cast<std::size_t>(k)]; column != row) {
        both.emplace_back(row, column);
        both.emplace_back(column, row);
      }
  const sparse g = rows_of(a.rows(), std::move(both));
  std::vector<idx_t> first(g.first.begin(), g.first.end()), columns(g.columns.begin(), g.columns.end());
  std::vector<idx_t> part(static_cast<std::size_t>(a.rows()));
  idx_t n = a.rows(), constraints = 1, wanted = parts, edges_cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  METIS_PartGraphKway(&n, &constraints, first.data(), columns.data(), nullptr, nullptr, nullptr, &wanted,
                      nullptr, nullptr, options, &edges_cut, part.data());
  return {part.begin(), part.end()};
}
#endif

/// Rank 0 reads and cuts; everybody gets all of it.
bool share_matrix(const std::string& file, sparse& a, std::vector<std::int32_t>& part) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#ifdef TACIT_BENCH_METIS
  if (rank == 0) {
    a = read_matrix(file);
    if (a.rows() > 0)
      part = cut(a, ranks);
  }
#endif
  for (auto* list : {&a.first, &a.columns, &part}) {
    auto size = static_cast<int>(list->size());
    MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
    list->resize(static_cast<std::size_t>(size));
    MPI_Bcast(list->data(), size, MPI_INT32_T, 0, MPI_COMM_WORLD);
  }
  return a.rows() > 0;
}

double entry(std::int32_t column) {
  return static_cast<double>(static_cast<std::int64_t>(column) * 7919 % 1000003);
}

struct product {
  std::vector<double> first, x, y;  ///< this rank's entries: in iteration 0, now, and of the result
  std::vector<std::int32_t> packed; ///< entries of x that are sent, in the order of the blocks
  std::vector<double> expected;     ///< what arrives in iteration 0
  sparse local;                     ///< columns of this rank's rows: own entries, then those that arrive
};

void multiply(product& m, const std::vector<double>& arrived) {
  const auto own = static_cast<std::int32_t>(m.x.size());
  for (std::size_t row = 0; row < m.y.size(); ++row) {
    double sum = 0;
    for (auto k = m.local.first[row]; k < m.local.first[row + 1]; ++k) {
      const std::int32_t column = m.local.columns[static_cast<std::size_t>(k)];
      sum += column < own ? m.x[static_cast<std::size_t>(column)]
                          : arrived[static_cast<std::size_t>(column - own)];
    }
    m.y[row] = sum;
  }
}

/// For every pair of parts the columns that the first one's rows need of the second, ascending.
std::vector<std::vector<std::vector<std::int32_t>>> needs(const sparse& a,
                                                          const std::vector<std::int32_t>& part, int parts) {
  const auto n = static_cast<std::size_t>(parts);
  std::vector<std::vector<std::vector<std::int32_t>>> need(n, std::vector<std::vector<std::int32_t>>(n));
  for (std::size_t row = 0; row < static_cast<std::size_t>(a.rows()); ++row)
    for (auto k = a.first[row]; k < a.first[row + 1]; ++k) {
      const std::int32_t column = a.columns[static_cast<std::size_t>(k)];
      const auto owner = static_cast<std::size_t>(part[static_cast<std::size_t>(column)]);
      if (const auto user = static_cast<std::size_t>(part[row]); owner != user)
        need[user][owner].push_back(column);
    }
  for (auto& lists : need)
    for (auto& list : lists) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  return need;
}

} // namespace

real_case_handle sparse_product(const std::string& file, bool whole, std::string& why) {
#ifndef TACIT_BENCH_METIS
  why = "built without METIS (Debian: libmetis-dev)";
  return nullptr;
#endif
  sparse a;
  std::vector<std::int32_t> part;
  if (!share_matrix(file, a, part)) {
    why = "no matrix in " + file;
    return nullptr;
  }
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto me = static_cast<std::size_t>(rank);
  const auto need = needs(a, part, ranks);
  auto c = std::make_unique<real_case>();
  auto m = std::make_shared<product>();
  std::vector<std::int32_t> place(part.size(), -1); // of every column in x or, behind it, among what arrives
  for (std::size_t j = 0; j < part.size(); ++j)
    if (part[j] == rank) {
      place[j] = static_cast<std::int32_t>(m->first.size());
      m->first.push_back(entry(static_cast<std::int32_t>(j)));
    }
  m->x = m->first;
  m->y.resize(m->first.size());
  pattern& p = c->who;
  for (std::size_t other = 0; other < need.size(); ++other) {
    if (const auto& list = need[me][other]; !list.empty()) {
      p.sources.push_back(static_cast<int>(other));
      c->in_counts.push_back(static_cast<int>(list.size()));
      for (const std::int32_t j : list) {
        place[static_cast<std::size_t>(j)] = static_cast<std::int32_t>(m->first.size() + m->expected.size());
        m->expected.push_back(entry(j));
      }
    }
    if (const auto& list = need[other][me]; !list.empty()) {
      p.destinations.push_back(static_cast<int>(other));
      c->out_counts.push_back(static_cast<int>(list.size()));
      for (const std::int32_t j : list)
        m->packed.push_back(place[static_cast<std::size_t>(j)]);
    }
  }
  for (std::size_t row = 0; row < part.size(); ++row) {
    if (part[row] != rank)
      continue;
    for (auto k = a.first[row]; k < a.first[row + 1]; ++k)
      m->local.columns.push_back(place[static_cast<std::size_t>(a.columns[static_cast<std::size_t>(k)])]);
    m->local.first.push_back(static_cast<std::int32_t>(m->local.columns.size()));
  }
  p.send_tags.assign(p.destinations.size(), 0);
  p.receive_tags.assign(p.sources.size(), 0);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(p.sources.size()), p.sources.data(),
                                 MPI_UNWEIGHTED, static_cast<int>(p.destinations.size()),
                                 p.destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &p.comm);
  p.tacit = p.comm;
  fill_in_packed(*c);
  const std::string stem = file.substr(file.rfind('/') + 1);
  int most = static_cast<int>(c->in.size() * sizeof(double)), largest = 0;
  MPI_Allreduce(&most, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  c->name = fmt::format("{} {}", whole ? "product" : "matrix", stem.substr(0, stem.rfind('.')));
  c->about = fmt::format("{} rows, {} entries, cut by METIS; a rank receives up to {} B", a.rows(),
                         a.columns.size(), largest);
  c->data = m;
  c->produce = [&out = c->out, m, whole](int iteration) {
    if (whole)
      for (std::size_t k = 0; k < m->x.size(); ++k)
        m->x[k] = m->first[k] + iteration;
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = m->first[static_cast<std::size_t>(m->packed[k])] + iteration;
  };
  if (whole)
    c->consume = [&in = c->in, m, sum = &c->sum] {
      multiply(*m, in);
      *sum += m->y.empty() ? 0 : m->y.front();
    };
  c->right = [&in = c->in, m](int iteration) {
    for (std::size_t k = 0; k < in.size(); ++k)
      if (in[k] != m->expected[k] + iteration)
        return false;
    return true;
  };
  return c;
}

} // namespace bench
