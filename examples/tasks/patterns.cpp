// The communication patterns of the paper on collective pattern discovery (its Table 3), as programs of two buffers.
//
//   mpiexec -n 4 ./patterns [pattern] [side] [iterations] [communication]
//
// pattern: allgather, alltoall, gather_scatter, gather_broadcast, stencil or all. An iteration is a task or two over a square matrix,
// whose rows are where they were written; what a task reads of the other buffer decides what travels. With `communication` kernels do
// nothing, so that what is left is the time of the exchanges, here and in the twin, as the best of nine repetitions; there is nothing to
// compare then. Else the result is compared with the twin's and with that of a serial program, bit by bit.
#include "twin.hpp"

#include <cstring>
#include <string>
#include <tacit/tasks.hpp>
#include <utility>
#include <variant>

// --- what a task reads: of `from`, which is called with indices, for element (i, j)

double mixed(double a, double b) {
  return 0.5 * a + 0.25 * b + 0.125;
}

struct own {
  auto mapper() const { return tacit::access::one_to_one(); }
  template <typename From>
  double operator()(const From& from, std::size_t, std::size_t i, std::size_t j) const {
    return mixed(from(i, j), 1);
  }
};
struct everything {
  auto mapper() const { return tacit::access::all(); }
  template <typename From>
  double operator()(const From& from, std::size_t side, std::size_t i, std::size_t j) const {
    return mixed(from(i, j), from(side - 1 - i, j));
  }
};
struct transposed {
  auto mapper() const { return tacit::access::transposed<1, 0>(); }
  template <typename From>
  double operator()(const From& from, std::size_t, std::size_t i, std::size_t j) const {
    return mixed(from(j, i), 2);
  }
};
struct rows_around {
  auto mapper() const { return tacit::access::neighborhood({1, 0}); }
  template <typename From>
  double operator()(const From& from, std::size_t side, std::size_t i, std::size_t j) const {
    return mixed(from(i > 0 ? i - 1 : i, j), from(i + 1 < side ? i + 1 : i, j));
  }
};

struct step {
  std::variant<own, everything, transposed, rows_around> reads;
  bool on_one_rank = false;
};

std::vector<step> steps_of(const std::string& pattern) {
  if (pattern == "allgather")
    return {{everything()}};
  if (pattern == "alltoall")
    return {{transposed()}};
  if (pattern == "gather_scatter")
    return {{everything(), true}, {own()}};
  if (pattern == "gather_broadcast")
    return {{everything(), true}, {everything()}};
  if (pattern == "stencil")
    return {{rows_around()}};
  std::fprintf(stderr,
               "patterns: allgather, alltoall, gather_scatter, gather_broadcast, stencil or all, not '%s'\n",
               pattern.c_str());
  std::exit(2);
}

// --- with tasks

using matrix = tacit::buffer<double, 2>;

template <typename Reads>
void submit(tacit::queue& queue, const Reads& reads, bool on_one_rank, const matrix& from, const matrix& to,
            bool compute) {
  const std::size_t side = from.get_range()[0];
  queue.submit([&](tacit::handler& h) {
    tacit::accessor in(from, h, reads.mapper(), tacit::read_only);
    if (on_one_rank) { // a kernel of one item is one chunk
      tacit::accessor out(to, h, tacit::access::all(), tacit::write_only, tacit::no_init);
      h.parallel_for<class on_one>(tacit::range<2>(1, 1), [=](tacit::item<2>) {
        for (std::size_t i = 0; compute && i < side; ++i)
          for (std::size_t j = 0; j < side; ++j)
            out(i, j) = reads(in, side, i, j);
      });
    } else {
      tacit::accessor out(to, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
      const auto write = [=](std::size_t i, std::size_t j) { out(i, j) = reads(in, side, i, j); };
      if (compute)
        h.parallel_for<class on_all>(to.get_range(), write);
      else
        h.parallel_for<class on_all_nothing>(to.get_range(), [=](std::size_t, std::size_t) { (void)out; });
    }
  });
}

void iterate(tacit::queue& queue, const std::vector<step>& steps, std::size_t iterations, matrix& a,
             matrix& b, bool compute) {
  for (std::size_t t = 0; t < iterations; ++t)
    for (const step& s : steps) {
      std::visit([&](const auto& reads) { submit(queue, reads, s.on_one_rank, a, b, compute); }, s.reads);
      std::swap(a, b);
    }
}

// --- by hand, and serially

struct whole {
  const double* data;
  std::size_t side;
  double operator()(std::size_t i, std::size_t j) const { return data[i * side + j]; }
};
/// Rows of the transposed, from `first` on.
struct turned {
  const double* data;
  std::size_t side, first;
  double operator()(std::size_t j, std::size_t i) const { return data[(i - first) * side + j]; }
};

class twin_by_hand {
public:
  twin_by_hand(const std::vector<double>& start, std::size_t side)
      : side_(side), rows_(side, side), from_(start), to_(start), turned_((rows_.end - rows_.begin) * side) {}

  void iterate(const std::vector<step>& steps, std::size_t iterations, bool compute) {
    for (std::size_t t = 0; t < iterations; ++t)
      for (const step& s : steps) {
        std::visit([&](const auto& reads) { run(reads, s.on_one_rank, compute); }, s.reads);
        std::swap(from_, to_);
        at_root_ = s.on_one_rank;
      }
  }
  /// This rank's rows.
  const double* result() const { return &from_[rows_.begin * side_]; }
  const twin::rows& rows() const { return rows_; }

private:
  template <typename Reads>
  void run(const Reads& reads, bool on_one_rank, bool compute) {
    bring(reads, on_one_rank);
    if (!compute || (on_one_rank && twin::rank() != 0))
      return;
    const std::size_t first = on_one_rank ? 0 : rows_.begin, end = on_one_rank ? side_ : rows_.end;
    for (std::size_t i = first; i < end; ++i)
      for (std::size_t j = 0; j < side_; ++j)
        if constexpr (std::is_same_v<Reads, transposed>)
          to_[i * side_ + j] = reads(turned{turned_.data(), side_, first}, side_, i, j);
        else
          to_[i * side_ + j] = reads(whole{from_.data(), side_}, side_, i, j);
  }

  double* mine() { return &from_[rows_.begin * side_]; }
  int my_count() const { return static_cast<int>((rows_.end - rows_.begin) * side_); }

  void bring(const everything&, bool on_one_rank) {
    const bool root = twin::rank() == 0;
    if (at_root_)
      MPI_Bcast(from_.data(), static_cast<int>(from_.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else if (on_one_rank)
      MPI_Gatherv(root ? MPI_IN_PLACE : mine(), my_count(), MPI_DOUBLE, from_.data(), rows_.counts.data(),
                  rows_.offsets.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else
      MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, from_.data(), rows_.counts.data(),
                     rows_.offsets.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  }
  void bring(const own&, bool) {
    const bool root = twin::rank() == 0;
    if (at_root_)
      MPI_Scatterv(from_.data(), rows_.counts.data(), rows_.offsets.data(), MPI_DOUBLE,
                   root ? MPI_IN_PLACE : mine(), my_count(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  void bring(const transposed&, bool) { twin::transpose(mine(), side_, side_, turned_.data()); }
  void bring(const rows_around&, bool) {
    const int n = static_cast<int>(side_);
    const int up = rows_.begin > 0 ? twin::rank() - 1 : MPI_PROC_NULL,
              down = rows_.end < side_ ? twin::rank() + 1 : MPI_PROC_NULL;
    double* const first = mine();
    double* const end = first + my_count();
    MPI_Sendrecv(first, n, MPI_DOUBLE, up, 0, end, down == MPI_PROC_NULL ? 0 : n, MPI_DOUBLE, down, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(end - n, n, MPI_DOUBLE, down, 1, first - (up == MPI_PROC_NULL ? 0 : n), n, MPI_DOUBLE, up, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  std::size_t side_;
  twin::rows rows_;
  std::vector<double> from_, to_, turned_;
  bool at_root_ = false;
};

std::vector<double> serially(const std::vector<step>& steps, std::size_t iterations, std::vector<double> from,
                             std::size_t side) {
  std::vector<double> to(from.size());
  for (std::size_t t = 0; t < iterations; ++t)
    for (const step& s : steps) {
      const auto all = [&](const auto& reads) {
        for (std::size_t i = 0; i < side; ++i)
          for (std::size_t j = 0; j < side; ++j)
            to[i * side + j] = reads(whole{from.data(), side}, side, i, j);
      };
      std::visit(all, s.reads);
      std::swap(from, to);
    }
  return from;
}

// --- all of them side by side

constexpr std::size_t warm_up = 2;     // iterations: buffers, memory of the library
constexpr std::size_t repetitions = 9; // of communication alone

double best(const std::vector<double>& seconds) {
  return *std::min_element(seconds.begin(), seconds.end());
}

int run(const std::string& pattern, std::size_t side, std::size_t iterations, bool compute) {
  const std::vector<step> steps = steps_of(pattern);
  std::vector<double> start(side * side);
  for (std::size_t i = 0; i < start.size(); ++i)
    start[i] = std::sin(double(i));

  tacit::queue queue;
  matrix a(start.data(), {side, side}), b(start.data(), {side, side});
  twin_by_hand twin(start, side);
  iterate(queue, steps, warm_up, a, b, compute);
  twin.iterate(steps, warm_up, compute);
  std::vector<double> with_tasks, by_hand;
  for (std::size_t r = 0; r < (compute ? 1 : repetitions); ++r) {
    queue.wait(tacit::barrier);
    with_tasks.push_back(twin::timed([&] {
      iterate(queue, steps, iterations, a, b, compute);
      queue.wait();
    }));
    by_hand.push_back(twin::timed([&] { twin.iterate(steps, iterations, compute); }));
  }
  if (!compute) {
    if (twin::rank() == 0)
      std::printf("%s on %d ranks: tasks %.6f ms, by hand %.6f ms an iteration, communication only\n",
                  pattern.c_str(), twin::ranks(), best(with_tasks) / double(iterations) * 1e3,
                  best(by_hand) / double(iterations) * 1e3);
    return 0;
  }
  const auto result = queue.fence(a).get();
  const std::vector<double> expected = serially(steps, warm_up + iterations, start, side);
  const bool right = std::memcmp(result.get_data(), expected.data(), expected.size() * sizeof(double)) == 0;
  if (!right && twin::rank() == 0)
    std::printf("%s: differs from the serial program\n", pattern.c_str());
  const int equal =
      twin::compare(pattern.c_str(), with_tasks[0], by_hand[0], result.get_data() + twin.rows().begin * side,
                    twin.result(), (twin.rows().end - twin.rows().begin) * side);
  return right ? equal : 1;
}

int main(int argc, char** argv) {
  const std::string pattern = argc > 1 ? argv[1] : "all";
  const std::size_t side = twin::argument(argc, argv, 2, 300), iterations = twin::argument(argc, argv, 3, 20);
  const bool compute = argc <= 4 || std::string(argv[4]) != "communication";
  if (pattern != "all")
    return run(pattern, side, iterations, compute);
  int result = 0;
  for (const char* one : {"allgather", "alltoall", "gather_scatter", "gather_broadcast", "stencil"})
    result |= run(one, side, iterations, compute);
  return result;
}
