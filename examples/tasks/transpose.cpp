// B = transposed A. mpiexec -n 2 ./transpose [n]
//
// Rows are where they were written, and columns are read: every rank has something for every other one, an all-to-all. By hand it is
// MPI_Alltoallv of packed blocks.
#include "twin.hpp"

#include <tacit/tasks.hpp>

int main(int argc, char** argv) {
  const std::size_t n = twin::argument(argc, argv, 1, 300);

  tacit::queue queue;
  tacit::buffer<double, 2> A({n, n}), B({n, n});
  queue.submit([&](tacit::handler& h) {
    tacit::accessor a(A, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
    h.parallel_for<class fill>(A.get_range(),
                               [=](std::size_t i, std::size_t j) { a(i, j) = double(i * n + j); });
  });
  queue.wait(tacit::barrier);
  const double with_tasks = twin::timed([&] {
    queue.submit([&](tacit::handler& h) {
      tacit::accessor a(A, h, tacit::access::transposed<1, 0>(), tacit::read_only);
      tacit::accessor b(B, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
      h.parallel_for<class turn>(A.get_range(), [=](std::size_t i, std::size_t j) { b(i, j) = a(j, i); });
    });
    queue.wait();
  });
  const auto result = queue.fence(B).get();

  const twin::rows mine(n);
  const std::size_t height = mine.end - mine.begin;
  std::vector<double> a(height * n), b(height * n);
  for (std::size_t i = 0; i < height * n; ++i)
    a[i] = double(mine.begin * n + i);
  const double by_hand = twin::timed([&] { twin::transpose(a.data(), n, n, b.data()); });
  return twin::compare("transpose", with_tasks, by_hand, result.get_data() + mine.begin * n, b.data(),
                       height * n);
}
