// The wave equation on a grid, a five-point stencil. mpiexec -n 2 ./wave [rows] [columns] [steps]
//
// Neighborhoods along the axes: each rank needs one row of each neighbor. By hand those are two MPI_Sendrecv a step.
#include "twin.hpp"

#include <tacit/tasks.hpp>
#include <utility>

double started(std::size_t i, std::size_t j) {
  const double x = double(i) - 20, y = double(j) - 30;
  return std::exp(-(x * x + y * y) / 50);
}

int main(int argc, char** argv) {
  const std::size_t rows = twin::argument(argc, argv, 1, 200), columns = twin::argument(argc, argv, 2, 300),
                    steps = twin::argument(argc, argv, 3, 50);
  const auto next_of = [=](const auto& u, const double before, std::size_t i, std::size_t j) {
    const double here = u(i, j), up = i > 0 ? u(i - 1, j) : here, down = i + 1 < rows ? u(i + 1, j) : here;
    const double left = j > 0 ? u(i, j - 1) : here, right = j + 1 < columns ? u(i, j + 1) : here;
    return 2 * here - before + 0.0625 * (up + down + left + right - 4 * here);
  };

  tacit::queue queue;
  tacit::buffer<double, 2> now({rows, columns}), other({rows, columns});
  for (auto* b : {&now, &other})
    queue.submit([&](tacit::handler& h) {
      tacit::accessor to(*b, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
      h.parallel_for<class start>(b->get_range(),
                                  [=](std::size_t i, std::size_t j) { to(i, j) = started(i, j); });
    });
  const double with_tasks = twin::timed([&] {
    for (std::size_t t = 0; t < steps; ++t) {
      queue.submit([&](tacit::handler& h) {
        tacit::accessor u(now, h, tacit::access::neighborhood({1, 1}, tacit::neighborhood_shape::along_axes),
                          tacit::read_only);
        tacit::accessor to(other, h, tacit::access::one_to_one(), tacit::read_write);
        h.parallel_for<class step>(
            now.get_range(), [=](std::size_t i, std::size_t j) { to(i, j) = next_of(u, to(i, j), i, j); });
      });
      std::swap(now, other);
    }
    queue.wait();
  });
  const auto result = queue.fence(now).get();

  const twin::rows mine(rows, columns);
  std::vector<double> u(rows * columns), w(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      u[i * columns + j] = w[i * columns + j] = started(i, j);
  const int up = mine.begin > 0 ? twin::rank() - 1 : MPI_PROC_NULL,
            down = mine.end < rows ? twin::rank() + 1 : MPI_PROC_NULL;
  const double by_hand = twin::timed([&] {
    const int width = static_cast<int>(columns);
    for (std::size_t t = 0; t < steps; ++t) {
      double* first = u.data() + mine.begin * columns;
      double* end = u.data() + mine.end * columns;
      MPI_Sendrecv(first, width, MPI_DOUBLE, up, 0, end, down == MPI_PROC_NULL ? 0 : width, MPI_DOUBLE, down,
                   0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Sendrecv(end - columns, width, MPI_DOUBLE, down, 1, first - (up == MPI_PROC_NULL ? 0 : columns),
                   up == MPI_PROC_NULL ? 0 : width, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const auto at = [&](std::size_t i, std::size_t j) { return u[i * columns + j]; };
      for (std::size_t i = mine.begin; i < mine.end; ++i)
        for (std::size_t j = 0; j < columns; ++j)
          w[i * columns + j] = next_of(at, w[i * columns + j], i, j);
      std::swap(u, w);
    }
  });
  const std::size_t at = mine.begin * columns;
  return twin::compare("wave", with_tasks, by_hand, result.get_data() + at, u.data() + at,
                       (mine.end - mine.begin) * columns);
}
