// The halo exchange of a weather model, shaped as WRF's idealized case em_b_wave: 40 x 80 columns of 63
// levels (200,000 points), periodic in x, closed in y, cut into patches of uneven size. Six fields of single
// precision (three winds, temperature, geopotential; surface pressure without levels) have halos of different
// widths, 3, 3, 2, 2, 1 and 1, and go together in one block per neighbor, straight out of the arrays
// (level by level inside a row, as WRF stores them: i, k, j). Corners are not exchanged.
#include "real_case.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>

namespace bench {
namespace {

constexpr int columns_x = 40, columns_y = 80, levels = 63, widest = 3;

struct region {
  int i, j, ni, nj;
};

struct field {
  int width, nk;
  std::vector<float> now, first; ///< first: what every point, ghosts included, has in iteration 0
};

struct patch {
  int ni = 0, nj = 0;
  std::vector<field> fields;
  std::array<std::vector<region>, 4> sent, received; ///< by slot, then by field

  std::size_t at(const field& f, int i, int k, int j) const {
    const int row = ni + 2 * widest;
    return static_cast<std::size_t>(((j + widest) * f.nk + k) * row + i + widest);
  }
  template <typename Visit>
  void each(const std::array<std::vector<region>, 4>& slots, const std::array<bool, 4>& open, Visit&& visit) {
    for (std::size_t s = 0; s < 4; ++s)
      for (std::size_t f = 0; f < fields.size() && open[s]; ++f) {
        const region& r = slots[s][f];
        for (int j = r.j; j < r.j + r.nj; ++j)
          for (int k = 0; k < fields[f].nk; ++k)
            visit(fields[f], at(fields[f], r.i, k, j), static_cast<std::size_t>(r.ni));
      }
  }
};

/// First column and number of columns of part `which` of `parts`.
std::pair<int, int> share(int total, int parts, int which) {
  const int first = total * which / parts;
  return {first, total * (which + 1) / parts - first};
}

float point(std::size_t f, int i, int k, int j) {
  const int x = (i % columns_x + columns_x) % columns_x; // periodic
  const auto all = ((f * 131 + static_cast<std::size_t>(j + widest)) * 64 + static_cast<std::size_t>(k)) * 41;
  return static_cast<float>((all + static_cast<std::size_t>(x)) * 7919 % 1000003);
}

MPI_Datatype block(const patch& p, const std::vector<region>& regions) {
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Aint> places;
  std::vector<int> ones(p.fields.size(), 1);
  for (std::size_t f = 0; f < p.fields.size(); ++f) {
    const region& r = regions[f];
    const int sizes[] = {p.nj + 2 * widest, p.fields[f].nk, p.ni + 2 * widest};
    const int part[] = {r.nj, p.fields[f].nk, r.ni};
    const int starts[] = {r.j + widest, 0, r.i + widest};
    MPI_Type_create_subarray(3, sizes, part, starts, MPI_ORDER_C, MPI_FLOAT, &types.emplace_back());
    MPI_Get_address(p.fields[f].now.data(), &places.emplace_back());
  }
  MPI_Datatype all = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), places.data(), types.data(), &all);
  MPI_Type_commit(&all);
  for (MPI_Datatype& t : types)
    MPI_Type_free(&t);
  return all;
}

void add_regions(patch& p) {
  for (const field& f : p.fields) {
    const int w = f.width;
    p.sent[0].push_back({0, 0, w, p.nj});
    p.sent[1].push_back({p.ni - w, 0, w, p.nj});
    p.sent[2].push_back({0, 0, p.ni, w});
    p.sent[3].push_back({0, p.nj - w, p.ni, w});
    p.received[0].push_back({-w, 0, w, p.nj});
    p.received[1].push_back({p.ni, 0, w, p.nj});
    p.received[2].push_back({0, -w, p.ni, w});
    p.received[3].push_back({0, p.nj, p.ni, w});
  }
}

} // namespace

real_case_handle weather() {
  auto c = std::make_unique<real_case>();
  auto p = std::make_shared<patch>();
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int dims[2] = {0, 0}, periods[2] = {1, 0}, here[2] = {0, 0};
  MPI_Dims_create(ranks, 2, dims);
  std::swap(dims[0], dims[1]); // more patches along y, which is longer
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &c->who.comm);
  c->who.tacit = c->who.comm;
  MPI_Comm_rank(c->who.comm, &rank);
  MPI_Cart_coords(c->who.comm, rank, 2, here);
  for (int d = 0; d < 2; ++d) {
    int low = 0, high = 0;
    MPI_Cart_shift(c->who.comm, d, 1, &low, &high);
    c->who.sources.insert(c->who.sources.end(), {low, high});
  }
  c->who.destinations = c->who.sources;
  c->who.send_tags = {0, 1, 2, 3};
  c->who.receive_tags = {1, 0, 3, 2};

  const auto [first_i, ni] = share(columns_x, dims[0], here[0]);
  const auto [first_j, nj] = share(columns_y, dims[1], here[1]);
  p->ni = ni, p->nj = nj;
  for (const auto& [width, nk] :
       {std::pair{3, levels}, {3, levels}, {2, levels}, {2, levels}, {1, levels}, {1, 1}})
    p->fields.push_back({width, nk, {}, {}});
  for (std::size_t f = 0; f < p->fields.size(); ++f) {
    field& one = p->fields[f];
    one.first.resize(static_cast<std::size_t>((ni + 2 * widest) * (nj + 2 * widest) * one.nk));
    for (int j = -widest; j < nj + widest; ++j)
      for (int k = 0; k < one.nk; ++k)
        for (int i = -widest; i < ni + widest; ++i)
          one.first[p->at(one, i, k, j)] = point(f, first_i + i, k, first_j + j);
    one.now = one.first;
  }
  add_regions(*p);
  std::array<bool, 4> open{};
  for (std::size_t s = 0; s < 4; ++s) {
    open[s] = c->who.sources[s] != MPI_PROC_NULL;
    c->out_types.push_back(block(*p, p->sent[s]));
    c->in_types.push_back(block(*p, p->received[s]));
  }
  int bytes = 0, most = 0;
  for (std::size_t s = 0; s < 4; ++s) {
    int one = 0;
    MPI_Type_size(c->out_types[s], &one);
    bytes = open[s] ? std::max(bytes, one) : bytes;
  }
  MPI_Allreduce(&bytes, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  c->name = "weather";
  c->about =
      fmt::format("six fields with halos of 1 to 3 on {} x {} patches of {} x {} x {} points, up to {} B "
                  "per neighbor",
                  dims[0], dims[1], columns_x, columns_y, levels, most);
  c->produce = [p, open](int iteration) {
    p->each(p->sent, open, [&](field& f, std::size_t at, std::size_t n) {
      for (std::size_t k = at; k < at + n; ++k)
        f.now[k] = f.first[k] + static_cast<float>(iteration);
    });
  };
  c->consume = [p, open, sum = &c->sum] {
    float all = 0;
    p->each(p->received, open, [&](field& f, std::size_t at, std::size_t n) {
      for (std::size_t k = at; k < at + n; ++k)
        all += f.now[k];
    });
    *sum += static_cast<double>(all);
  };
  c->right = [p, open](int iteration) {
    bool right = true;
    p->each(p->received, open, [&](field& f, std::size_t at, std::size_t n) {
      for (std::size_t k = at; k < at + n; ++k)
        right = right && f.now[k] == f.first[k] + static_cast<float>(iteration);
    });
    return right;
  };
  return c;
}

} // namespace bench
