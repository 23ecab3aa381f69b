// Conjugate gradients for a grid's Laplacian. mpiexec -n 2 ./cg [rows] [columns] [iterations]
//
// Vectors are two-dimensional buffers; the product with the matrix is a stencil, dot products are reductions that the kernels of the
// next step read. Nothing waits for the host. By hand: MPI_Sendrecv and MPI_Allreduce. Sums are made in another order there, so that
// the results agree but for rounding.
#include "twin.hpp"

#include <functional>
#include <tacit/tasks.hpp>
#include <utility>

using grid = tacit::buffer<double, 2>;
using scalar = tacit::buffer<double, 0>;

/// y = A x, and x * y.
void multiply(tacit::queue& queue, const grid& x, const grid& y, const scalar& product) {
  queue.submit([&](tacit::handler& h) {
    tacit::accessor from(x, h, tacit::access::neighborhood({1, 1}, tacit::neighborhood_shape::along_axes),
                         tacit::read_only);
    tacit::accessor to(y, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
    auto sum = tacit::reduction(product, h, std::plus<double>(), tacit::initialize_to_identity());
    const auto size = x.get_range();
    h.parallel_for<class multiply_kernel>(size, sum, [=](std::size_t i, std::size_t j, auto& all) {
      double y_here = 4.0 * from(i, j);
      y_here -= (i > 0 ? from(i - 1, j) : 0.0) + (i + 1 < size[0] ? from(i + 1, j) : 0.0);
      y_here -= (j > 0 ? from(i, j - 1) : 0.0) + (j + 1 < size[1] ? from(i, j + 1) : 0.0);
      to(i, j) = y_here;
      all += from(i, j) * y_here;
    });
  });
}

/// x += a p, r -= a q with a = rr / pq; and the new r * r.
void step(tacit::queue& queue, const grid& x, const grid& r, const grid& p, const grid& q, const scalar& rr,
          const scalar& pq, const scalar& next) {
  queue.submit([&](tacit::handler& h) {
    tacit::accessor to_x(x, h, tacit::access::one_to_one(), tacit::read_write);
    tacit::accessor to_r(r, h, tacit::access::one_to_one(), tacit::read_write);
    tacit::accessor from_p(p, h, tacit::access::one_to_one(), tacit::read_only);
    tacit::accessor from_q(q, h, tacit::access::one_to_one(), tacit::read_only);
    tacit::accessor above(rr, h, tacit::read_only), below(pq, h, tacit::read_only);
    auto sum = tacit::reduction(next, h, std::plus<double>(), tacit::initialize_to_identity());
    h.parallel_for<class step_kernel>(x.get_range(), sum, [=](tacit::item<2> i, auto& all) {
      const double a = *above / *below;
      to_x[i] += a * from_p[i];
      to_r[i] -= a * from_q[i];
      all += to_r[i] * to_r[i];
    });
  });
}

/// p = r + (next / rr) p.
void turn(tacit::queue& queue, const grid& p, const grid& r, const scalar& rr, const scalar& next) {
  queue.submit([&](tacit::handler& h) {
    tacit::accessor to(p, h, tacit::access::one_to_one(), tacit::read_write);
    tacit::accessor from(r, h, tacit::access::one_to_one(), tacit::read_only);
    tacit::accessor before(rr, h, tacit::read_only), now(next, h, tacit::read_only);
    h.parallel_for<class turn_kernel>(p.get_range(),
                                      [=](tacit::item<2> i) { to[i] = from[i] + *now / *before * to[i]; });
  });
}

int main(int argc, char** argv) {
  const std::size_t rows = twin::argument(argc, argv, 1, 60), columns = twin::argument(argc, argv, 2, 50),
                    iterations = twin::argument(argc, argv, 3, 30), n = rows * columns;
  std::vector<double> right(n), zero(n, 0.0);
  double norm = 0;
  for (std::size_t i = 0; i < n; ++i) {
    right[i] = 1 + 0.5 * std::sin(double(i));
    norm += right[i] * right[i];
  }

  tacit::queue queue;
  const tacit::range<2> size(rows, columns);
  grid x(zero.data(), size), r(right.data(), size), p(right.data(), size), q(size);
  scalar rr(norm), pq, next;
  const double with_tasks = twin::timed([&] {
    for (std::size_t k = 0; k < iterations; ++k) {
      multiply(queue, p, q, pq);
      step(queue, x, r, p, q, rr, pq, next);
      turn(queue, p, r, rr, next);
      std::swap(rr, next);
    }
    queue.wait();
  });
  const auto result = queue.fence(x).get();

  const twin::rows mine(rows, columns);
  const int up = mine.begin > 0 ? twin::rank() - 1 : MPI_PROC_NULL,
            down = mine.end < rows ? twin::rank() + 1 : MPI_PROC_NULL;
  std::vector<double> X(n, 0.0), R(right), P(right), Q(n);
  const auto sum_of = [](double here) {
    double all = 0;
    MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
  };
  const double by_hand = twin::timed([&] {
    const int width = static_cast<int>(columns);
    const std::size_t first = mine.begin * columns, end = mine.end * columns;
    double old = norm;
    for (std::size_t k = 0; k < iterations; ++k) {
      MPI_Sendrecv(P.data() + first, width, MPI_DOUBLE, up, 0, P.data() + (down == MPI_PROC_NULL ? 0 : end),
                   width, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Sendrecv(P.data() + end - columns, width, MPI_DOUBLE, down, 1,
                   P.data() + (up == MPI_PROC_NULL ? 0 : first - columns), width, MPI_DOUBLE, up, 1,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      double here = 0;
      for (std::size_t i = mine.begin; i < mine.end; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
          const std::size_t at = i * columns + j;
          Q[at] = 4 * P[at] - (i > 0 ? P[at - columns] : 0) - (i + 1 < rows ? P[at + columns] : 0) -
                  (j > 0 ? P[at - 1] : 0) - (j + 1 < columns ? P[at + 1] : 0);
          here += P[at] * Q[at];
        }
      const double a = old / sum_of(here);
      here = 0;
      for (std::size_t at = first; at < end; ++at) {
        X[at] += a * P[at];
        R[at] -= a * Q[at];
        here += R[at] * R[at];
      }
      const double now = sum_of(here);
      for (std::size_t at = first; at < end; ++at)
        P[at] = R[at] + now / old * P[at];
      old = now;
    }
  });
  const std::size_t at = mine.begin * columns;
  return twin::compare("conjugate gradients", with_tasks, by_hand, result.get_data() + at, X.data() + at,
                       (mine.end - mine.begin) * columns, 1e-9);
}
