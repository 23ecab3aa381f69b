// Direct N-body simulation: every body attracts every other one. mpiexec -n 2 ./nbody [bodies] [steps]
//
// Two kernels a step, as in the paper on collective pattern discovery. Only the read of all positions needs communication: every
// rank has written its own, so that one allgather a step is all there is. By hand it is MPI_Allgatherv.
#include "twin.hpp"

#include <tacit/tasks.hpp>

struct vec3 {
  double x, y, z;
};

constexpr double dt = 0.01;

vec3 accelerated(const vec3* p, std::size_t n, std::size_t i, vec3 v) {
  for (std::size_t j = 0; j < n; ++j) {
    const vec3 d{p[j].x - p[i].x, p[j].y - p[i].y, p[j].z - p[i].z};
    const double r2 = d.x * d.x + d.y * d.y + d.z * d.z + 1e-3; // softened, so that i == j adds nothing
    const double f = dt / (r2 * std::sqrt(r2));
    v = {v.x + f * d.x, v.y + f * d.y, v.z + f * d.z};
  }
  return v;
}

vec3 moved(const vec3& p, const vec3& v) {
  return {p.x + dt * v.x, p.y + dt * v.y, p.z + dt * v.z};
}

int main(int argc, char** argv) {
  const std::size_t n = twin::argument(argc, argv, 1, 1000), steps = twin::argument(argc, argv, 2, 10);
  std::vector<vec3> p(n), v(n, vec3{0, 0, 0});
  for (std::size_t i = 0; i < n; ++i)
    p[i] = {std::sin(double(i)), std::cos(2.0 * double(i)), std::sin(3.0 * double(i))};

  tacit::queue queue;
  tacit::buffer<vec3, 1> P(p.data(), n), V(v.data(), n);
  const double with_tasks = twin::timed([&] {
    for (std::size_t t = 0; t < steps; ++t) {
      queue.submit([&](tacit::handler& h) {
        tacit::accessor from(P, h, tacit::access::all(), tacit::read_only);
        tacit::accessor to(V, h, tacit::access::one_to_one(), tacit::read_write);
        h.parallel_for<class time_step>(n,
                                        [=](std::size_t i) { to[i] = accelerated(&from[0], n, i, to[i]); });
      });
      queue.submit([&](tacit::handler& h) {
        tacit::accessor from(V, h, tacit::access::one_to_one(), tacit::read_only);
        tacit::accessor to(P, h, tacit::access::one_to_one(), tacit::read_write);
        h.parallel_for<class update_p>(n, [=](std::size_t i) { to[i] = moved(to[i], from[i]); });
      });
    }
    queue.wait();
  });
  const auto result = queue.fence(P).get();

  const twin::rows mine(n, 3);
  const double by_hand = twin::timed([&] {
    for (std::size_t t = 0; t < steps; ++t) {
      for (std::size_t i = mine.begin; i < mine.end; ++i)
        v[i] = accelerated(p.data(), n, i, v[i]);
      for (std::size_t i = mine.begin; i < mine.end; ++i)
        p[i] = moved(p[i], v[i]);
      MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p.data(), mine.counts.data(), mine.offsets.data(),
                     MPI_DOUBLE, MPI_COMM_WORLD);
    }
  });
  return twin::compare("N-body", with_tasks, by_hand, &result.get_data()->x, &p[0].x, 3 * n);
}
