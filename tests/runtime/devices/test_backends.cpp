// Kernels of the public header on each backend, against loops: ranges and nd-ranges of 1 to 3 dimensions, barriers, local memory,
// reductions, several memories.
#include "runtime/devices/backend.h"
#include "runtime/devices/work_groups.h"

#include <cstring>
#include <future>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <tacit/tasks/handler.hpp>

namespace tacit::detail { // what the front end asks of the runtime; here buffers are numbers only

namespace {
std::size_t buffers = 0;
}
std::size_t create_buffer(const buffer_description&) {
  return buffers++;
}
void name_buffer(std::size_t, const std::string&) {}
void destroy_buffer(std::size_t) noexcept {}
std::size_t create_host_object() {
  return 0;
}
void destroy_host_object(std::size_t, std::shared_ptr<void>) noexcept {}
std::size_t create_collective_group() {
  return 1;
}
int rank() {
  return 0;
}
int ranks() {
  return 1;
}

} // namespace tacit::detail

namespace tacit::runtime {
namespace {

detail::index_box whole(const detail::extents& range) {
  return {{0, 0, 0}, range};
}

std::exception_ptr finished(const std::function<void(when_done)>& start) {
  std::promise<std::exception_ptr> result;
  start([&](std::exception_ptr error) { result.set_value(error); });
  return result.get_future().get();
}

std::exception_ptr launch(backend& on, int device, const detail::command_group& what,
                          const detail::index_box& items, std::vector<detail::allocation> accesses,
                          std::vector<void*> results = {}) {
  return finished([&](when_done done) {
    on.launch(device, {&what, items, std::move(accesses), std::move(results)}, std::move(done));
  });
}

/// Memory for a whole buffer. All backends here have memories that this process can write.
detail::allocation zeroed(backend& on, memory_number memory, const detail::extents& size,
                          std::size_t element_bytes) {
  const auto made = on.allocate(memory, whole(size), size, element_bytes);
  std::memset(made.data, 0, size[0] * size[1] * size[2] * element_bytes);
  return made;
}

class backends : public testing::TestWithParam<const char*> {};

struct described {
  explicit described(const std::function<void(handler&)>& describe) {
    handler h(group);
    describe(h);
  }
  detail::command_group group;
};

template <typename T>
std::vector<T> contents(const detail::allocation& of) {
  const T* from = static_cast<const T*>(of.data);
  return {from, from + of.range[0] * of.range[1] * of.range[2]};
}

TEST_P(backends, every_index_runs_once_in_ranges_of_each_dimension) {
  auto on = make_backend(GetParam(), 3, 0);
  for (const detail::extents& size :
       {detail::extents{1, 1, 1}, {1000, 1, 1}, {7, 13, 1}, {1, 50, 1}, {3, 5, 17}, {1, 1, 9}}) {
    const buffer<int, 3> counts(range<3>(size[0], size[1], size[2]));
    const described task([&](handler& h) {
      const accessor c(counts, h, access::one_to_one(), read_write);
      h.parallel_for(counts.get_range(), [=](item<3> i) { c[i] += 1 + static_cast<int>(i.get_linear_id()); });
    });
    const auto memory = zeroed(*on, host_memory, size, sizeof(int));
    EXPECT_FALSE(launch(*on, 0, task.group, task.group.items, {memory}));
    std::vector<int> expected(size[0] * size[1] * size[2]);
    std::iota(expected.begin(), expected.end(), 1);
    EXPECT_EQ(contents<int>(memory), expected);
    on->release(host_memory, memory, sizeof(int));
  }
}

TEST_P(backends, kernels_may_take_indices_and_offsets) {
  auto on = make_backend(GetParam(), 2, 0);
  const buffer<int, 2> out({10, 10});
  const described task([&](handler& h) {
    const accessor o(out, h, access::one_to_one(), write_only, no_init);
    h.parallel_for(range(4, 5), id(3, 2),
                   [=](std::size_t i, std::size_t j) { o(i, j) = static_cast<int>(10 * i + j); });
  });
  const detail::extents size{10, 10, 1};
  const auto memory = zeroed(*on, host_memory, size, sizeof(int));
  EXPECT_FALSE(launch(*on, 0, task.group, {{4, 2, 0}, {7, 6, 1}}, {memory})); // a chunk of it
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(contents<int>(memory)[i], i / 10 >= 4 && i / 10 < 7 && i % 10 >= 2 && i % 10 < 6 ? i : 0);
  on->release(host_memory, memory, sizeof(int));
}

TEST_P(backends, groups_meet_at_barriers_and_share_local_memory) {
  auto on = make_backend(GetParam(), 2, 0);
  constexpr std::size_t n = 24, tile = 4;
  const buffer<long, 2> a({n, n}), b({n, n}), c({n, n});
  const described task([&](handler& h) {
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
  const detail::extents size{n, n, 1};
  std::vector<detail::allocation> memory;
  for (int i = 0; i < 3; ++i)
    memory.push_back(zeroed(*on, host_memory, size, sizeof(long)));
  std::mt19937 random(5);
  for (int m = 0; m < 2; ++m)
    for (std::size_t i = 0; i < n * n; ++i)
      static_cast<long*>(memory[m].data)[i] = static_cast<long>(random() % 100);
  EXPECT_FALSE(launch(*on, 0, task.group, task.group.items, memory));
  const auto left = contents<long>(memory[0]), right = contents<long>(memory[1]),
             out = contents<long>(memory[2]);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      long sum = 0;
      for (std::size_t k = 0; k < n; ++k)
        sum += left[i * n + k] * right[k * n + j];
      EXPECT_EQ(out[i * n + j], sum);
    }
  for (const auto& m : memory)
    on->release(host_memory, m, sizeof(long));
}

TEST_P(backends, groups_of_a_chunk_know_their_place_in_the_whole_range) {
  auto on = make_backend(GetParam(), 2, 0);
  const buffer<int, 1> out(40);
  const described task([&](handler& h) {
    const accessor o(out, h, access::one_to_one(), write_only, no_init);
    h.parallel_for(nd_range<1>(32, 4, 8), [=](nd_item<1> i) {
      group_barrier(i.get_group());
      o[i.get_global_id()] =
          static_cast<int>(1000 * i.get_group(0) + 100 * i.get_local_id(0) + i.get_global_linear_id());
    });
  });
  const detail::extents size{40, 1, 1};
  const auto memory = zeroed(*on, host_memory, size, sizeof(int));
  EXPECT_FALSE(launch(*on, 0, task.group, {{16, 0, 0}, {24, 1, 1}}, {memory}));
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(contents<int>(memory)[i], i >= 16 && i < 24 ? 1000 * ((i - 8) / 4) + 100 * (i % 4) + i - 8 : 0);
  on->release(host_memory, memory, sizeof(int));
}

TEST_P(backends, reductions_have_the_same_bits_with_any_number_of_threads) {
  const buffer<double, 0> total(0.0);
  const buffer<int, 1> histogram(5);
  const buffer<float, 0> most(0.f);
  const described task([&](handler& h) {
    const auto sum = reduction(total, h, std::plus<double>());
    const auto bins = reduction(histogram, h, std::plus<int>());
    const auto top = reduction(most, h, maximum<float>());
    h.parallel_for(range(300, 7), sum, bins, top, [=](item<2> i, auto& s, auto& b, auto& t) {
      s += 1.0 / static_cast<double>(1 + i.get_linear_id());
      b[i.get_linear_id() % 5].combine(1);
      t.combine(static_cast<float>(i[0]) - 500);
    });
  });
  std::vector<double> sums;
  for (const int threads : {1, 2, 3, 8}) {
    auto on = make_backend(GetParam(), threads, 0);
    double sum = -1;
    float top = 7;
    std::vector<int> bins(5, 9);
    EXPECT_FALSE(launch(*on, 0, task.group, task.group.items, {}, {&sum, bins.data(), &top}));
    sums.push_back(sum);
    EXPECT_EQ(bins, std::vector<int>(5, 420));
    EXPECT_EQ(top, -201);
  }
  double expected = 0;
  for (int i = 1; i <= 2100; ++i)
    expected += 1.0 / i;
  for (const double sum : sums) {
    EXPECT_EQ(sum, sums[0]);
    EXPECT_NEAR(sum, expected, 1e-12);
  }
}

TEST_P(backends, what_kernels_throw_arrives) {
  auto on = make_backend(GetParam(), 2, 0);
  const described task([&](handler& h) {
    h.parallel_for(100, [=](std::size_t i) {
      if (i == 77)
        throw std::runtime_error("seventy-seven");
    });
  });
  const auto error = launch(*on, 0, task.group, task.group.items, {});
  ASSERT_TRUE(error);
  EXPECT_THROW(std::rethrow_exception(error), std::runtime_error);
}

TEST_P(backends, a_barrier_that_some_items_miss_is_an_error_and_the_next_group_works) {
  auto on = make_backend(GetParam(), 1, 0);
  const described wrong([&](handler& h) {
    h.parallel_for(nd_range<1>(8, 4), [=](nd_item<1> i) {
      if (i.get_local_id(0) != 2)
        group_barrier(i.get_group());
    });
  });
  const auto error = launch(*on, 0, wrong.group, wrong.group.items, {});
  ASSERT_TRUE(error);
  EXPECT_THROW(std::rethrow_exception(error), task_error);

  const described throws([&](handler& h) {
    h.parallel_for(nd_range<1>(8, 4), [=](nd_item<1> i) {
      const std::vector<int> held(100); // leaks if it is not unwound
      group_barrier(i.get_group());
      if (i.get_local_id(0) == 1)
        throw std::runtime_error("one");
      group_barrier(i.get_group());
    });
  });
  EXPECT_TRUE(launch(*on, 0, throws.group, throws.group.items, {}));

  const described right([&](handler& h) {
    h.parallel_for(nd_range<1>(8, 4), [=](nd_item<1> i) {
      for (int k = 0; k < 3; ++k)
        group_barrier(i.get_group());
    });
  });
  EXPECT_FALSE(launch(*on, 0, right.group, right.group.items, {}));
}

TEST_P(backends, boxes_are_copied_between_memories) {
  auto on = make_backend(GetParam(), 2, 2);
  EXPECT_EQ(on->devices(), 2);
  EXPECT_NE(on->memory_of(0), on->memory_of(1));
  std::mt19937 random(17);
  for (int round = 0; round < 200; ++round) {
    detail::extents size;
    detail::index_box box;
    for (int d = 0; d < 3; ++d) {
      size[d] = 1 + random() % 6;
      box.from[d] = random() % size[d];
      box.to[d] = random() % 3 ? size[d] : box.from[d] + random() % (size[d] - box.from[d] + 1);
      if (random() % 2)
        box.from[d] = 0;
    }
    const auto from = zeroed(*on, on->memory_of(0), size, sizeof(int));
    const auto to = zeroed(*on, on->memory_of(1), size, sizeof(int));
    for (std::size_t i = 0; i < size[0] * size[1] * size[2]; ++i)
      static_cast<int*>(from.data)[i] = static_cast<int>(i + 1);
    EXPECT_FALSE(finished([&](when_done done) {
      on->copy(on->memory_of(0), on->memory_of(1), {box, from, to, sizeof(int)}, std::move(done));
    }));
    int next = 0;
    for (std::size_t i = 0; i < size[0]; ++i)
      for (std::size_t j = 0; j < size[1]; ++j)
        for (std::size_t k = 0; k < size[2]; ++k, ++next) {
          const bool in = i >= box.from[0] && i < box.to[0] && j >= box.from[1] && j < box.to[1] &&
                          k >= box.from[2] && k < box.to[2];
          EXPECT_EQ(static_cast<int*>(to.data)[next], in ? next + 1 : 0) << "seed 17, round " << round;
        }
    on->release(on->memory_of(0), from, sizeof(int));
    on->release(on->memory_of(1), to, sizeof(int));
  }
}

TEST_P(backends, memories_of_devices_are_their_own_and_host_tasks_run) {
  auto on = make_backend(GetParam(), 2, 2);
  const detail::extents size{8, 1, 1};
  const auto first = zeroed(*on, on->memory_of(0), size, 1), second = zeroed(*on, on->memory_of(1), size, 1);
  EXPECT_NE(first.data, second.data);
  std::memset(first.data, 7, 8);
  EXPECT_EQ(contents<char>(second), std::vector<char>(8, 0));
  bool ran = false;
  EXPECT_FALSE(finished([&](when_done done) { on->run_on_host([&] { ran = true; }, std::move(done)); }));
  EXPECT_TRUE(ran);
  on->release(on->memory_of(0), first, 1);
  on->release(on->memory_of(1), second, 1);
}

const char* const built[] = {
    "threads",
#ifdef TACIT_WITH_KOKKOS
    "kokkos",
#endif
};
INSTANTIATE_TEST_SUITE_P(all, backends, testing::ValuesIn(built),
                         [](const auto& of) { return std::string(of.param); });

TEST(backends_by_name, what_is_not_there_is_an_error) {
  EXPECT_THROW(make_backend("gpu", 1, 0), task_error);
#ifndef TACIT_WITH_KOKKOS
  EXPECT_THROW(make_backend("kokkos", 1, 0), task_error);
#endif
}

} // namespace
} // namespace tacit::runtime
