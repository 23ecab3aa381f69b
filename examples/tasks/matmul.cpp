// C = A * B. mpiexec -n 2 ./matmul [n, a multiple of 8]
//
// Work groups compute tiles of C from tiles of A and B in local memory; a group needs rows of A and columns of B. By hand: rows of A
// are where they are needed, all of B is gathered everywhere.
#include "twin.hpp"

#include <tacit/tasks.hpp>

double a_at(std::size_t i, std::size_t k) {
  return std::sin(double(i + 2 * k));
}
double b_at(std::size_t k, std::size_t j) {
  return std::cos(double(3 * k + j));
}

int main(int argc, char** argv) {
  const std::size_t n = twin::argument(argc, argv, 1, 128), tile = 8;

  tacit::queue queue;
  tacit::buffer<double, 2> A({n, n}), B({n, n}), C({n, n});
  queue.submit([&](tacit::handler& h) {
    tacit::accessor a(A, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
    tacit::accessor b(B, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
    h.parallel_for<class fill>(A.get_range(), [=](std::size_t i, std::size_t j) {
      a(i, j) = a_at(i, j);
      b(i, j) = b_at(i, j);
    });
  });
  queue.wait(tacit::barrier);
  const double with_tasks = twin::timed([&] {
    queue.submit([&](tacit::handler& h) {
      tacit::accessor a(A, h, tacit::access::slice<2>(1), tacit::read_only);
      tacit::accessor b(B, h, tacit::access::slice<2>(0), tacit::read_only);
      tacit::accessor c(C, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
      tacit::local_accessor<double, 2> a_tile({tile, tile}, h), b_tile({tile, tile}, h);
      h.parallel_for<class multiply>(tacit::nd_range({n, n}, {tile, tile}), [=](tacit::nd_item<2> item) {
        const auto local = item.get_local_id();
        double sum = 0;
        for (std::size_t k = 0; k < n; k += tile) {
          a_tile[local] = a(item.get_global_id(0), k + local[1]);
          b_tile[local] = b(k + local[0], item.get_global_id(1));
          tacit::group_barrier(item.get_group());
          for (std::size_t l = 0; l < tile; ++l)
            sum += a_tile(local[0], l) * b_tile(l, local[1]);
          tacit::group_barrier(item.get_group());
        }
        c[item.get_global_id()] = sum;
      });
    });
    queue.wait();
  });
  const auto result = queue.fence(C).get();

  const twin::rows mine(n / tile, n * tile); // rows of tiles, as groups are not divided
  std::vector<double> a(n * n), b(n * n), c(n * n);
  for (std::size_t i = mine.begin * tile; i < mine.end * tile; ++i)
    for (std::size_t j = 0; j < n; ++j)
      a[i * n + j] = a_at(i, j), b[i * n + j] = b_at(i, j);
  const double by_hand = twin::timed([&] {
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b.data(), mine.counts.data(), mine.offsets.data(),
                   MPI_DOUBLE, MPI_COMM_WORLD);
    for (std::size_t i = mine.begin * tile; i < mine.end * tile; ++i)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
  });
  const std::size_t at = mine.begin * tile * n;
  return twin::compare("matrix multiply", with_tasks, by_hand, result.get_data() + at, c.data() + at,
                       (mine.end - mine.begin) * tile * n);
}
