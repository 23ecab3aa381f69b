// C = A * B on a mesh of ranks, panel by panel: SUMMA. mpiexec -n 4 ./summa [n] [columns of a panel]
//
// All three matrices lie in near-square blocks (split_2d). A step adds a panel of A's columns times a panel of B's rows: a rank needs
// its rows of the one and its columns of the other, which some rank of its row and of its column of the mesh has. By hand these are
// broadcasts of panels within rows and columns, one step after the other; tasks find the same collectives, and those of later panels
// run beside the kernels of earlier ones.
//
// Reference: van de Geijn and Watts, SUMMA: scalable universal matrix multiplication algorithm, 1997.
#include "twin.hpp"

#include <tacit/tasks.hpp>

double a_at(std::size_t i, std::size_t k) {
  return std::sin(double(i + 2 * k));
}
double b_at(std::size_t k, std::size_t j) {
  return std::cos(double(3 * k + j));
}

/// The rows of a chunk, of some columns.
auto rows_of_panel(std::size_t first, std::size_t width) {
  return [=](tacit::chunk<2> c) { return tacit::subrange<2>({c.offset[0], first}, {c.range[0], width}); };
}
auto columns_of_panel(std::size_t first, std::size_t height) {
  return [=](tacit::chunk<2> c) { return tacit::subrange<2>({first, c.offset[1]}, {height, c.range[1]}); };
}

/// This rank's block of an n x n matrix on a mesh of ranks, and the communicators of its row and of its column.
class mesh {
public:
  explicit mesh(std::size_t n) : n_(n) {
    const int p = twin::ranks();
    for (int rows = 1; rows * rows <= p; ++rows) // at most as many rows as columns
      if (p % rows == 0)
        sides_[0] = rows, sides_[1] = p / rows;
    at_[0] = twin::rank() / sides_[1], at_[1] = twin::rank() % sides_[1];
    MPI_Comm_split(MPI_COMM_WORLD, at_[0], at_[1], &row);
    MPI_Comm_split(MPI_COMM_WORLD, at_[1], at_[0], &column);
  }
  mesh(const mesh&) = delete;
  mesh& operator=(const mesh&) = delete;
  ~mesh() {
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
  }
  /// Where the part of dimension d with a coordinate begins; the first parts have one more.
  std::size_t begin(int d, int coordinate) const {
    const auto parts = static_cast<std::size_t>(sides_[d]), i = static_cast<std::size_t>(coordinate);
    return n_ / parts * i + std::min(i, n_ % parts);
  }
  std::size_t begin(int d) const { return begin(d, at_[d]); }
  std::size_t length(int d) const { return begin(d, at_[d] + 1) - begin(d); }
  int coordinate(int d) const { return at_[d]; }
  /// Who has an index of dimension d.
  int owner(int d, std::size_t index) const {
    int i = 0;
    while (begin(d, i + 1) <= index)
      ++i;
    return i;
  }

  MPI_Comm row = MPI_COMM_NULL, column = MPI_COMM_NULL;

private:
  std::size_t n_;
  int sides_[2] = {1, 1}, at_[2] = {0, 0};
};

int main(int argc, char** argv) {
  const std::size_t n = twin::argument(argc, argv, 1, 130), panel = twin::argument(argc, argv, 2, 32);

  tacit::queue queue;
  tacit::buffer<double, 2> A({n, n}), B({n, n}), C({n, n});
  queue.submit([&](tacit::handler& h) {
    h.split_2d();
    tacit::accessor a(A, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
    tacit::accessor b(B, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
    tacit::accessor c(C, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
    h.parallel_for<class fill>(A.get_range(), [=](std::size_t i, std::size_t j) {
      a(i, j) = a_at(i, j);
      b(i, j) = b_at(i, j);
      c(i, j) = 0;
    });
  });
  queue.wait(tacit::barrier);
  const double with_tasks = twin::timed([&] {
    for (std::size_t first = 0; first < n; first += panel) {
      const std::size_t width = std::min(panel, n - first);
      queue.submit([&](tacit::handler& h) {
        h.split_2d();
        tacit::accessor a(A, h, rows_of_panel(first, width), tacit::read_only);
        tacit::accessor b(B, h, columns_of_panel(first, width), tacit::read_only);
        tacit::accessor c(C, h, tacit::access::one_to_one(), tacit::read_write);
        h.parallel_for<class multiply>(C.get_range(), [=](std::size_t i, std::size_t j) {
          double sum = c(i, j);
          for (std::size_t k = first; k < first + width; ++k)
            sum += a(i, k) * b(k, j);
          c(i, j) = sum;
        });
      });
    }
    queue.wait();
  });
  const auto result = queue.fence(C).get();

  const mesh m(n);
  const std::size_t height = m.length(0), width = m.length(1);
  std::vector<double> a(height * n), b(n * width), c(height * width, 0.0);
  for (std::size_t i = 0; i < height; ++i) // of A and B the own blocks only
    for (std::size_t j = 0; j < width; ++j) {
      a[i * n + m.begin(1) + j] = a_at(m.begin(0) + i, m.begin(1) + j);
      b[(m.begin(0) + i) * width + j] = b_at(m.begin(0) + i, m.begin(1) + j);
    }
  const double by_hand = twin::timed([&] {
    std::vector<double> columns(height * panel);
    for (std::size_t first = 0, end = 0; first < n; first = end) {
      // A panel has one owner in the row and one in the column.
      const int in_row = m.owner(1, first), in_column = m.owner(0, first);
      end = std::min({n, first + panel, m.begin(1, in_row + 1), m.begin(0, in_column + 1)});
      const std::size_t k_count = end - first;
      if (m.coordinate(1) == in_row)
        for (std::size_t i = 0; i < height; ++i)
          std::copy_n(&a[i * n + first], k_count, &columns[i * k_count]);
      MPI_Bcast(columns.data(), static_cast<int>(height * k_count), MPI_DOUBLE, in_row, m.row);
      MPI_Bcast(&b[first * width], static_cast<int>(k_count * width), MPI_DOUBLE, in_column, m.column);
      for (std::size_t i = 0; i < height; ++i)
        for (std::size_t k = 0; k < k_count; ++k)
          for (std::size_t j = 0; j < width; ++j)
            c[i * width + j] += columns[i * k_count + k] * b[(first + k) * width + j];
    }
  });
  std::vector<double> mine(height * width);
  for (std::size_t i = 0; i < height; ++i)
    for (std::size_t j = 0; j < width; ++j)
      mine[i * width + j] = result[m.begin(0) + i][m.begin(1) + j];
  return twin::compare("SUMMA", with_tasks, by_hand, mine.data(), c.data(), height * width);
}
