// Programs of tasks, each for a part of the programming model, against what a serial program computes.
#include "task_main.h"

#include <fstream>
#include <numeric>
#include <unistd.h>
#include <vector>

namespace tacit {
namespace {

template <typename T, int Dims>
std::vector<T> contents(queue& q, const buffer<T, Dims>& of) {
  auto fenced = q.fence(of).get();
  return {fenced.get_data(), fenced.get_data() + of.size()};
}

TEST(programs, a_buffer_from_the_host_comes_back_by_a_fence) {
  queue q;
  std::vector<int> data(100);
  std::iota(data.begin(), data.end(), 7);
  const buffer<int, 2> b(data.data(), {10, 10});
  EXPECT_EQ(contents(q, b), data);
  const auto part = q.fence(b, subrange<2>({2, 3}, {4, 5})).get();
  EXPECT_EQ(part[1][2], data[3 * 10 + 5]);
}

/// Listing 1 of the paper on collective pattern discovery, in numbers that add up exactly.
TEST(programs, all_bodies_see_all_bodies_in_every_step) {
  constexpr std::size_t n = 37;
  queue q;
  std::vector<long> p(n), v(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    p[i] = static_cast<long>(i * i % 11);
  const buffer<long, 1> positions(p.data(), n), velocities(v.data(), n);
  for (int step = 0; step < 12; ++step) {
    q.submit([&](handler& h) {
      const accessor from(positions, h, access::all(), read_only);
      const accessor to(velocities, h, access::one_to_one(), read_write);
      h.parallel_for<class time_step>(n, [=](std::size_t i) {
        for (std::size_t j = 0; j < n; ++j)
          to[i] += (from[j] - from[i]) % 5;
      });
    });
    q.submit([&](handler& h) {
      const accessor from(velocities, h, access::one_to_one(), read_only);
      const accessor to(positions, h, access::one_to_one(), read_write);
      h.parallel_for<class update_p>(n, [=](std::size_t i) { to[i] += from[i] % 3; });
    });
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        v[i] += (p[j] - p[i]) % 5;
    for (std::size_t i = 0; i < n; ++i)
      p[i] += v[i] % 3;
  }
  EXPECT_EQ(contents(q, positions), p);
  EXPECT_EQ(contents(q, velocities), v);
}

TEST(programs, stencils_exchange_borders) {
  constexpr std::size_t rows = 23, columns = 9;
  queue q;
  buffer<long, 2> now({rows, columns}), next({rows, columns});
  q.submit([&](handler& h) {
    const accessor to(now, h, access::one_to_one(), write_only, no_init);
    h.parallel_for(now.get_range(), [=](item<2> i) { to[i] = static_cast<long>(i[0] * 31 + i[1] * 7); });
  });
  std::vector<long> a(rows * columns), b(rows * columns);
  for (std::size_t i = 0; i < rows * columns; ++i)
    a[i] = static_cast<long>(i / columns * 31 + i % columns * 7);
  const auto around = [](auto&& at, std::size_t i, std::size_t j) {
    return at(i > 0 ? i - 1 : i, j) + 2 * at(i + 1 < rows ? i + 1 : i, j) + 3 * at(i, j > 0 ? j - 1 : j) +
           5 * at(i, j + 1 < columns ? j + 1 : j);
  };
  for (int step = 0; step < 9; ++step) {
    q.submit([&](handler& h) {
      const accessor from(now, h, access::neighborhood({1, 1}, neighborhood_shape::along_axes), read_only);
      const accessor to(next, h, access::one_to_one(), write_only, no_init);
      h.parallel_for(now.get_range(),
                     [=](std::size_t i, std::size_t j) { to(i, j) = around(from, i, j) % 1009; });
    });
    std::swap(now, next);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        b[i * columns + j] =
            around([&](std::size_t k, std::size_t l) { return a[k * columns + l]; }, i, j) % 1009;
    std::swap(a, b);
  }
  EXPECT_EQ(contents(q, now), a);
}

TEST(programs, transposing_moves_everything) {
  constexpr std::size_t n = 18;
  queue q;
  std::vector<int> data(n * n);
  std::iota(data.begin(), data.end(), 0);
  const buffer<int, 2> from(data.data(), {n, n}), to({n, n}), back({n, n});
  q.submit([&](handler& h) {
    const accessor a(from, h, access::one_to_one(), read_only);
    const accessor b(to, h, access::one_to_one(), write_only, no_init);
    h.parallel_for(from.get_range(), [=](item<2> i) { b[i] = a[i]; });
  });
  q.submit([&](handler& h) {
    const accessor a(to, h, access::transposed<1, 0>(), read_only);
    const accessor b(back, h, access::one_to_one(), write_only, no_init);
    h.parallel_for(from.get_range(), [=](std::size_t i, std::size_t j) { b(i, j) = a(j, i); });
  });
  const auto result = contents(q, back);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      EXPECT_EQ(result[i * n + j], data[j * n + i]);
}

TEST(programs, kernels_over_matrices_read_vectors_by_columns) {
  constexpr std::size_t rows = 13, columns = 7;
  queue q;
  std::vector<int> weights(columns);
  std::iota(weights.begin(), weights.end(), 100);
  const buffer<int, 1> first(weights.data(), columns), vector(columns);
  const buffer<int, 2> matrix({rows, columns});
  q.submit([&](handler& h) { // now each rank has a part of it
    const accessor from(first, h, access::one_to_one(), read_only);
    const accessor to(vector, h, access::one_to_one(), write_only, no_init);
    h.parallel_for(vector.get_range(), [=](std::size_t j) { to[j] = 2 * from[j]; });
  });
  q.submit([&](handler& h) {
    const accessor by(vector, h, access::transposed<1>(), read_only);
    const accessor to(matrix, h, access::one_to_one(), write_only, no_init);
    h.parallel_for(matrix.get_range(),
                   [=](std::size_t i, std::size_t j) { to(i, j) = static_cast<int>(i) * by[j]; });
  });
  const auto result = contents(q, matrix);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      EXPECT_EQ(result[i * columns + j], static_cast<int>(i * 2 * (100 + j)));
}

/// Messages that MPI announces before it copies them: where they lie, and packed.
TEST(programs, long_messages_arrive_again_and_again) {
  constexpr std::size_t n = 300; // rows of 2,400 bytes: on 8 ranks messages of 90,000
  queue q;
  std::vector<long> data(n * n);
  std::iota(data.begin(), data.end(), 0);
  const buffer<long, 2> now(data.data(), {n, n}), turned({n, n});
  for (int step = 0; step < 5; ++step) {
    q.submit([&](handler& h) {
      const accessor from(now, h, access::transposed<1, 0>(), read_only);
      const accessor to(turned, h, access::one_to_one(), write_only, no_init);
      h.parallel_for<class turn>(now.get_range(),
                                 [=](std::size_t i, std::size_t j) { to(i, j) = from(j, i); });
    });
    q.submit([&](handler& h) {
      const accessor from(turned, h, access::all(), read_only);
      const accessor to(now, h, access::one_to_one(), write_only, no_init);
      h.parallel_for<class mix>(now.get_range(), [=](std::size_t i, std::size_t j) {
        to(i, j) = from(i, j) + 3 * from((i * 7 + 150) % n, n - 1 - j);
      });
    });
    std::vector<long> mixed(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        mixed[i * n + j] = data[j * n + i] + 3 * data[(n - 1 - j) * n + (i * 7 + 150) % n];
    data = mixed;
  }
  EXPECT_EQ(contents(q, now), data);
}

/// Often enough that a trial of how each of the exchanges travels has ended (variant_trials.h).
TEST(programs, exchanges_bring_the_same_while_they_are_tried_and_afterwards) {
  constexpr std::size_t side = 36;
  constexpr int steps = 200;
  queue q;
  std::vector<long> a(side * side), b(side * side);
  std::iota(a.begin(), a.end(), 3);
  const buffer<long, 2> left(a.data(), {side, side}), right(b.data(), {side, side});
  const auto step = [&](const auto& from, const auto& to, const auto& mapper, std::size_t items, long added,
                        auto index_of) {
    q.submit([&](handler& h) {
      const accessor in(from, h, mapper, read_only);
      if (items == 1) { // on one rank
        const accessor out(to, h, access::all(), write_only, no_init);
        h.parallel_for(range<2>(1, 1), [=](item<2>) {
          for (std::size_t i = 0; i < side * side; ++i) {
            const auto [r, c] = index_of(i / side, i % side);
            out(i / side, i % side) = (in(r, c) + added) % 100'003;
          }
        });
      } else {
        const accessor out(to, h, access::one_to_one(), write_only, no_init);
        h.parallel_for(to.get_range(), [=](std::size_t i, std::size_t j) {
          const auto [r, c] = index_of(i, j);
          out(i, j) = (in(r, c) + added) % 100'003;
        });
      }
    });
  };
  using at = std::pair<std::size_t, std::size_t>;
  const auto mirrored = [](std::size_t i, std::size_t j) { return at{side - 1 - i, j}; };
  const auto turned = [](std::size_t i, std::size_t j) { return at{j, i}; };
  for (int t = 0; t < steps; ++t) {
    step(left, right, access::all(), side, t, mirrored);                // allgather
    step(right, left, access::transposed<1, 0>(), side, 2 * t, turned); // alltoall
    step(left, right, access::all(), 1, 3 * t, mirrored);               // gather
    step(right, left, access::all(), side, t, turned);                  // broadcast
  }
  const auto serially = [&](auto& from, auto& to, long added, auto index_of) {
    for (std::size_t i = 0; i < side * side; ++i) {
      const auto [r, c] = index_of(i / side, i % side);
      to[i] = (from[r * side + c] + added) % 100'003;
    }
  };
  std::vector<long> x(side * side), y(side * side);
  std::iota(x.begin(), x.end(), 3);
  for (int t = 0; t < steps; ++t) {
    serially(x, y, t, mirrored);
    serially(y, x, 2 * t, turned);
    serially(x, y, 3 * t, mirrored);
    serially(y, x, t, turned);
  }
  EXPECT_EQ(contents(q, left), x);
}

/// More exchanges than are kept, and some that only some ranks know: all ranks have to forget the same at the same time.
TEST(programs, exchanges_that_were_forgotten_begin_again_on_all_ranks) {
  constexpr std::size_t n = 15, few = 2, of_few = 16, kept = 128;
  queue q;
  std::vector<buffer<long, 1>> from, to;
  for (std::size_t k = 0; k <= kept + of_few; ++k) {
    from.emplace_back(k <= kept ? n : few);
    to.emplace_back(k <= kept ? n : few);
  }
  const auto step = [&](std::size_t k, long first) {
    const std::size_t items = from[k].size();
    q.submit([&](handler& h) {
      const accessor out(from[k], h, access::one_to_one(), write_only, no_init);
      h.parallel_for(items, [=](std::size_t i) { out[i] = first + static_cast<long>(i); });
    });
    q.submit([&](handler& h) {
      const accessor in(from[k], h, access::all(), read_only);
      const accessor out(to[k], h, access::one_to_one(), write_only, no_init);
      h.parallel_for(items, [=](std::size_t i) { out[i] = in[items - 1 - i]; });
    });
  };
  for (std::size_t k = kept + 1; k < from.size(); ++k)
    step(k, 7);
  for (std::size_t k = 0; k <= kept; ++k)
    for (long t = 0; t < 2; ++t)
      step(k, t);
  for (std::size_t k = kept; k-- > kept / 2;)
    for (long t = 0; t < 2; ++t)
      step(k, static_cast<long>(k) + t);
  for (std::size_t k = kept / 2; k < kept; ++k) {
    std::vector<long> last(n);
    for (std::size_t i = 0; i < n; ++i)
      last[i] = static_cast<long>(k + n - i);
    EXPECT_EQ(contents(q, to[k]), last) << k;
  }
}

TEST(programs, groups_are_not_divided_among_ranks) {
  constexpr std::size_t n = 24, tile = 4;
  queue q;
  const buffer<long, 2> a({n, n}), b({n, n}), c({n, n});
  q.submit([&](handler& h) {
    const accessor x(a, h, access::one_to_one(), write_only, no_init),
        y(b, h, access::one_to_one(), write_only, no_init);
    h.parallel_for(a.get_range(), [=](item<2> i) {
      x[i] = static_cast<long>(i[0] + 2 * i[1]);
      y[i] = static_cast<long>(3 * i[0]) - static_cast<long>(i[1]);
    });
  });
  q.submit([&](handler& h) {
    const accessor left(a, h, access::slice<2>(1), read_only), right(b, h, access::slice<2>(0), read_only);
    const accessor out(c, h, access::one_to_one(), write_only, no_init);
    const local_accessor<long, 2> left_tile({tile, tile}, h), right_tile({tile, tile}, h);
    h.parallel_for(nd_range({n, n}, {tile, tile}), [=](nd_item<2> i) {
      const auto at = i.get_local_id();
      long sum = 0;
      for (std::size_t k = 0; k < n; k += tile) {
        left_tile[at] = left[i.get_global_id(0)][k + at[1]];
        right_tile[at] = right[k + at[0]][i.get_global_id(1)];
        group_barrier(i.get_group());
        for (std::size_t l = 0; l < tile; ++l)
          sum += left_tile[at[0]][l] * right_tile[l][at[1]];
        group_barrier(i.get_group());
      }
      out[i.get_global_id()] = sum;
    });
  });
  const auto result = contents(q, c);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      long sum = 0;
      for (std::size_t k = 0; k < n; ++k)
        sum += static_cast<long>(i + 2 * k) * (static_cast<long>(3 * k) - static_cast<long>(j));
      EXPECT_EQ(result[i * n + j], sum);
    }
}

TEST(programs, chunks_in_two_dimensions_cover_the_range_and_are_no_rows) {
  constexpr std::size_t n = 30;
  queue q;
  host_object<subrange<2>> mine;
  const buffer<int, 2> filled({n, n}), seen({n, n});
  q.submit([&](handler& h) {
    h.split_2d();
    const side_effect chunk(mine, h);
    const accessor to(filled, h, access::one_to_one(), write_only, no_init);
    h.host_task(range<2>(n, n), [=](partition<2> part) {
      *chunk = part.get_subrange();
      for (std::size_t i = 0; i < chunk->range[0]; ++i)
        for (std::size_t j = 0; j < chunk->range[1]; ++j)
          to[chunk->offset + id<2>(i, j)] =
              static_cast<int>((chunk->offset[0] + i) * n + chunk->offset[1] + j);
    });
  });
  q.submit([&](handler& h) { // the same chunks, and a border of one
    h.split_2d();
    const accessor from(filled, h, access::neighborhood({1, 1}), read_only);
    const accessor to(seen, h, access::one_to_one(), write_only, no_init);
    h.parallel_for<class turn>(range<2>(n, n), [=](std::size_t i, std::size_t j) {
      to(i, j) = from(i + 1 < n ? i + 1 : i, j + 1 < n ? j + 1 : j);
    });
  });
  const std::vector<int> result = contents(q, seen);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      EXPECT_EQ(result[i * n + j], static_cast<int>(std::min(i + 1, n - 1) * n + std::min(j + 1, n - 1)));
  const subrange<2> chunk = q.fence(mine).get();
  if (detail::ranks() == 4) {
    EXPECT_EQ(chunk.range, (range<2>(n / 2, n / 2)));
  }
}

TEST(programs, reductions_combine_all_ranks_and_count_what_was_there_once) {
  constexpr std::size_t n = 101;
  queue q;
  const buffer<long, 0> total(1000L), fresh;
  const buffer<int, 1> remainders(7);
  for (int round = 0; round < 3; ++round)
    q.submit([&](handler& h) {
      const auto sum = reduction(total, h, std::plus<long>());
      const auto most = reduction(fresh, h, maximum<long>(), initialize_to_identity());
      const auto bins = reduction(remainders, h, std::plus<int>(), initialize_to_identity());
      h.parallel_for(n, sum, most, bins, [=](std::size_t i, auto& s, auto& m, auto& b) {
        s += static_cast<long>(i);
        m.combine(static_cast<long>(i * 37 % n));
        b[i % 7].combine(1);
      });
    });
  EXPECT_EQ(contents(q, total), std::vector<long>{1000 + 3 * 5050});
  EXPECT_EQ(contents(q, fresh), std::vector<long>{100});
  EXPECT_EQ(contents(q, remainders), (std::vector<int>{15, 15, 15, 14, 14, 14, 14}));
}

TEST(programs, what_was_reduced_is_read_by_kernels) {
  constexpr std::size_t n = 50;
  queue q;
  const buffer<long, 1> x(n);
  const buffer<long, 0> sum;
  q.submit([&](handler& h) {
    const accessor to(x, h, access::one_to_one(), write_only, no_init);
    const auto s = reduction(sum, h, std::plus<long>(), initialize_to_identity());
    h.parallel_for(n, s, [=](std::size_t i, auto& all) {
      to[i] = static_cast<long>(i);
      all += static_cast<long>(i);
    });
  });
  q.submit([&](handler& h) {
    const accessor from(sum, h, read_only);
    const accessor to(x, h, access::one_to_one(), read_write);
    h.parallel_for(n, [=](std::size_t i) { to[i] += *from; });
  });
  const auto result = contents(q, x);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_EQ(result[i], static_cast<long>(i) + 1225);
}

TEST(programs, host_tasks_share_a_range_and_collective_ones_have_a_communicator) {
  constexpr std::size_t n = 30;
  queue q;
  const buffer<int, 1> x(n), y(n);
  q.submit([&](handler& h) {
    const accessor to(x, h, access::one_to_one(), write_only, no_init);
    h.host_task(range<1>(n), [=](const partition<1>& mine) {
      const auto where = mine.get_subrange();
      for (std::size_t i = where.offset[0]; i < where.offset[0] + where.range[0]; ++i)
        to[i] = static_cast<int>(i);
    });
  });
  q.submit([&](handler& h) {
    const accessor from(x, h, access::even_split<1>(), read_only);
    const accessor to(y, h, access::even_split<1>(), write_only, no_init);
    h.host_task(collective, [=](const collective_partition& mine) {
      const auto window = from.get_allocation_window(mine);
      const std::size_t first = window.get_window_offset_in_buffer()[0], count = window.get_window_range()[0];
      int here = 0, all = 0;
      for (std::size_t i = first; i < first + count; ++i)
        here += from[i];
      MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_SUM, mine.get_collective_mpi_comm());
      for (std::size_t i = first; i < first + count; ++i)
        to[i] = all + from[i];
    });
  });
  const auto result = contents(q, y);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_EQ(result[i], 435 + static_cast<int>(i));
}

TEST(programs, host_objects_are_used_in_order) {
  queue q;
  const host_object<std::vector<int>> log;
  for (int i = 0; i < 20; ++i)
    q.submit([&](handler& h) {
      const side_effect to(log, h);
      h.host_task(collective, [=](const collective_partition&) { to->push_back(i); });
    });
  std::vector<int> expected(20);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(q.fence(log).get(), expected);
}

TEST(programs, tasks_once_and_on_the_first_rank_see_everything) {
  constexpr std::size_t n = 12;
  queue q;
  const buffer<int, 1> x(n), y(n);
  q.submit([&](handler& h) {
    const accessor to(x, h, access::one_to_one(), write_only, no_init);
    h.parallel_for(n, [=](std::size_t i) { to[i] = static_cast<int>(i * i); });
  });
  q.submit([&](handler& h) {
    const accessor from(x, h, access::all(), read_only);
    const accessor to(y, h, access::all(), write_only, no_init);
    h.host_task(once, [=] {
      for (std::size_t i = 0; i < n; ++i)
        to[i] = from[n - 1 - i];
    });
  });
  const host_object<int> seen(-1);
  q.submit([&](handler& h) {
    const accessor from(y, h, access::all(), read_only);
    const side_effect into(seen, h);
    h.host_task(on_master_node, [=] { *into = from[0]; });
  });
  EXPECT_EQ(contents(q, y)[2], 81);
  EXPECT_EQ(q.fence(seen).get(), detail::rank() == 0 ? 121 : -1);
}

TEST(programs, waiting_makes_effects_visible) {
  queue q;
  const buffer<int, 1> x(40);
  std::vector<int> mine(40);
  q.submit([&](handler& h) {
    const accessor to(x, h, access::one_to_one(), write_only, no_init);
    h.parallel_for(40, [=](std::size_t i) { to[i] = static_cast<int>(3 * i); });
  });
  q.submit([&](handler& h) {
    const accessor from(x, h, access::all(), read_only);
    h.host_task(collective, [=, &mine](const collective_partition&) {
      for (std::size_t i = 0; i < 40; ++i)
        mine[i] = from[i];
    });
  });
  q.wait();
  for (std::size_t i = 0; i < 40; ++i)
    EXPECT_EQ(mine[i], static_cast<int>(3 * i));
  q.wait(barrier);
}

TEST(programs, buffers_come_and_go) {
  queue q;
  long sum = 0;
  for (int round = 0; round < 60; ++round) {
    const buffer<long, 1> x(200);
    q.submit([&](handler& h) {
      const accessor to(x, h, access::one_to_one(), write_only, no_init);
      h.parallel_for(200, [=](std::size_t i) { to[i] = static_cast<long>(i) + round; });
    });
    if (round % 10 == 0)
      sum += contents(q, x)[199];
  }
  EXPECT_EQ(sum, 6 * 199 + 150);
}

std::size_t resident_bytes() {
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(programs, long_ones_take_no_more_memory) {
  constexpr std::size_t n = 64;
  queue q;
  std::vector<long> start(n, 0);
  const buffer<long, 1> x(start.data(), n);
  const auto steps = [&](int count) {
    for (int i = 0; i < count; ++i)
      q.submit([&](handler& h) {
        const accessor to(x, h, access::one_to_one(), read_write);
        h.parallel_for(n, [=](std::size_t k) { ++to[k]; });
      });
    q.wait();
  };
  steps(5000);
  [[maybe_unused]] const std::size_t before = resident_bytes();
  steps(45000);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // which keep what was freed
  // A task and its commands take more than 1 KiB; 4096 of them may be under way.
  EXPECT_LT(resident_bytes(), before + (std::size_t{24} << 20));
#endif
  EXPECT_EQ(contents(q, x), std::vector<long>(n, 50000));
}

} // namespace
} // namespace tacit

int main(int argc, char** argv) {
  return tacit::test::task_main(argc, argv);
}
