// N-body simulation as the paper on collective pattern discovery optimises it. mpiexec -n 2 ./nbody_tiled [bodies] [steps]
//
// Each coordinate is a buffer (structure of arrays), and bodies attract in work groups: a group brings the positions of a tile of
// bodies to its local memory, where all of its items read them. On GPUs that saves bandwidth; on cores, whose caches
// do the same, an item that waits at a barrier changes stacks, so that nbody.cpp is the program to start from there.
// The three buffers travel as one exchange a step. By hand: one MPI_Allgatherv for each of them.
#include "twin.hpp"

#include <array>
#include <tacit/tasks.hpp>

constexpr std::size_t tile = 64;
constexpr double dt = 0.01;

using coordinate = tacit::buffer<double, 1>;
using coordinates = std::array<double, 3>;

/// What a body at d from another one adds to the velocity of that.
void attract(coordinates& v, const coordinates& d) {
  const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-3; // softened, so that i == j adds nothing
  const double f = dt / (r2 * std::sqrt(r2));
  for (std::size_t c = 0; c < 3; ++c)
    v[c] += f * d[c];
}

double start_at(std::size_t c, std::size_t i) {
  return c == 1 ? std::cos(2.0 * double(i)) : std::sin(double(c + 1) * double(i));
}

void time_step(tacit::queue& queue, const std::array<coordinate, 3>& P, const std::array<coordinate, 3>& V,
               std::size_t n) {
  queue.submit([&](tacit::handler& h) {
    const auto read = [&](const coordinate& p) {
      return tacit::accessor(p, h, tacit::access::all(), tacit::read_only);
    };
    const auto update = [&](const coordinate& v) {
      return tacit::accessor(v, h, tacit::access::one_to_one(), tacit::read_write);
    };
    const std::array p{read(P[0]), read(P[1]), read(P[2])};
    const std::array v{update(V[0]), update(V[1]), update(V[2])};
    const tacit::local_accessor<coordinates> near(tile, h);
    h.parallel_for<class time_step_kernel>(
        tacit::nd_range<1>(P[0].size(), tile), [=](tacit::nd_item<1> item) {
          const std::size_t i = item.get_global_id(0), mine = item.get_local_id(0);
          const coordinates here{p[0][i], p[1][i], p[2][i]};
          coordinates speed{v[0][i], v[1][i], v[2][i]};
          for (std::size_t first = 0; first < n; first += tile) {
            near[mine] = {p[0][first + mine], p[1][first + mine], p[2][first + mine]};
            tacit::group_barrier(item.get_group());
            for (std::size_t j = 0; j < std::min(tile, n - first); ++j)
              attract(speed, {near[j][0] - here[0], near[j][1] - here[1], near[j][2] - here[2]});
            tacit::group_barrier(item.get_group());
          }
          for (std::size_t c = 0; c < 3; ++c)
            v[c][i] = speed[c];
        });
  });
}

void move(tacit::queue& queue, const std::array<coordinate, 3>& P, const std::array<coordinate, 3>& V) {
  for (std::size_t c = 0; c < 3; ++c)
    queue.submit([&](tacit::handler& h) {
      const tacit::accessor v(V[c], h, tacit::access::one_to_one(), tacit::read_only);
      const tacit::accessor p(P[c], h, tacit::access::one_to_one(), tacit::read_write);
      h.parallel_for<class move_kernel>(tacit::nd_range<1>(P[c].size(), tile), [=](tacit::nd_item<1> i) {
        p[i.get_global_id()] += dt * v[i.get_global_id()];
      });
    });
}

int main(int argc, char** argv) {
  const std::size_t n = twin::argument(argc, argv, 1, 1000), steps = twin::argument(argc, argv, 2, 10);
  const std::size_t padded =
      (n + tile - 1) / tile * tile; // groups are whole; who is behind n attracts nobody
  std::array<std::vector<double>, 3> p, v;
  for (std::size_t c = 0; c < 3; ++c) {
    v[c].assign(padded, 0);
    for (std::size_t i = 0; i < padded; ++i)
      p[c].push_back(start_at(c, i));
  }

  tacit::queue queue;
  const auto buffer_of = [&](const std::vector<double>& from) { return coordinate(from.data(), padded); };
  const std::array P{buffer_of(p[0]), buffer_of(p[1]), buffer_of(p[2])},
      V{buffer_of(v[0]), buffer_of(v[1]), buffer_of(v[2])};
  const double with_tasks = twin::timed([&] {
    for (std::size_t t = 0; t < steps; ++t) {
      time_step(queue, P, V, n);
      move(queue, P, V);
    }
    queue.wait();
  });
  std::vector<double> result, expected;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto part = queue.fence(P[c]).get();
    result.insert(result.end(), part.get_data(), part.get_data() + n);
  }

  const twin::rows mine(n);
  const double by_hand = twin::timed([&] {
    for (std::size_t t = 0; t < steps; ++t) {
      for (std::size_t i = mine.begin; i < mine.end; ++i) {
        coordinates speed{v[0][i], v[1][i], v[2][i]};
        for (std::size_t j = 0; j < n; ++j)
          attract(speed, {p[0][j] - p[0][i], p[1][j] - p[1][i], p[2][j] - p[2][i]});
        for (std::size_t c = 0; c < 3; ++c)
          v[c][i] = speed[c];
      }
      for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t i = mine.begin; i < mine.end; ++i)
          p[c][i] += dt * v[c][i];
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p[c].data(), mine.counts.data(),
                       mine.offsets.data(), MPI_DOUBLE, MPI_COMM_WORLD);
      }
    }
  });
  for (const auto& one : p)
    expected.insert(expected.end(), one.begin(), one.begin() + static_cast<std::ptrdiff_t>(n));
  return twin::compare("N-body in tiles", with_tasks, by_hand, result.data(), expected.data(), 3 * n);
}
