// A program in Celerity's words, as its users write them.
#include <tacit/celerity.hpp>

namespace celerity = tacit::celerity;
namespace sycl = tacit::sycl;

#include "task_main.h"

namespace {

celerity::subrange<2> turned(celerity::chunk<2> c) {
  return {{c.offset[1], c.offset[0]}, {c.range[1], c.range[0]}};
}

TEST(celerity, programs_keep_their_words) {
  constexpr std::size_t n = 12;
  celerity::queue queue;
  celerity::buffer<sycl::float2, 2> points{celerity::range<2>(n, n)};
  celerity::buffer<float, 2> lengths(celerity::range<2>(n, n));
  celerity::buffer<float, 0> longest;
  celerity::debug::set_buffer_name(points, "points");

  queue.submit([&](celerity::handler& cgh) {
    celerity::accessor p{points, cgh, turned, celerity::write_only, celerity::no_init};
    celerity::experimental::hint(cgh, celerity::experimental::hints::split_2d());
    celerity::debug::set_task_name(cgh, "set points");
    cgh.parallel_for<class set_points>(points.get_range(), [=](celerity::item<2> item) {
      p[{item[1], item[0]}] = 2.f * sycl::float2(static_cast<float>(item[1]), static_cast<float>(item[0]));
    });
  });
  queue.submit([&](celerity::handler& cgh) {
    celerity::accessor p{points, cgh,
                         celerity::access::neighborhood{{1, 1}, celerity::neighborhood_shape::along_axes},
                         celerity::read_only};
    celerity::accessor l{lengths, cgh, celerity::access::one_to_one{}, celerity::write_only,
                         celerity::no_init};
    celerity::local_accessor<float, 2> scratch{{2, 2}, cgh};
    cgh.parallel_for<class measure>(celerity::nd_range<2>{{n, n}, {2, 2}}, [=](celerity::nd_item<2> item) {
      const auto at = item.get_global_id(), local = item.get_local_id();
      const std::size_t above = at[0] > 0 ? at[0] - 1 : 0;
      scratch[local] = p[above][at[1]].x();
      celerity::group_barrier(item.get_group(), celerity::memory_scope_work_group);
      l[at] = sycl::fmax(p[at].y(), scratch[local[0]][local[1]]);
    });
  });
  queue.submit([&](celerity::handler& cgh) {
    celerity::accessor l{lengths, cgh, celerity::access::one_to_one{}, celerity::read_only};
    const auto most = celerity::reduction(longest, cgh, sycl::maximum<float>(),
                                          celerity::property::reduction::initialize_to_identity{});
    cgh.parallel_for<class find>(lengths.get_range(), most,
                                 [=](celerity::item<2> item, auto& max) { max.combine(l[item]); });
  });
  celerity::experimental::host_object<int> seen(0);
  queue.submit([&](celerity::handler& cgh) {
    celerity::accessor l{lengths, cgh, celerity::experimental::access::even_split<2>{},
                         celerity::read_only_host_task};
    celerity::experimental::side_effect count{seen, cgh};
    cgh.host_task(celerity::experimental::collective, [=](celerity::experimental::collective_partition part) {
      const auto window = l.get_allocation_window(part);
      *count = static_cast<int>(window.get_window_range().size());
      MPI_Allreduce(MPI_IN_PLACE, &*count, 1, MPI_INT, MPI_SUM, part.get_collective_mpi_comm());
    });
  });
  const auto result = queue.fence(lengths).get();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      EXPECT_EQ(result[i][j], 2.f * static_cast<float>(std::max(j, i > 0 ? i - 1 : 0)));
  EXPECT_EQ(*queue.fence(longest).get(), 2.f * (n - 1));
  EXPECT_EQ(queue.fence(seen).get(), static_cast<int>(n * n));
  queue.wait(celerity::experimental::barrier);
}

} // namespace

int main(int argc, char** argv) {
  return tacit::test::task_main(argc, argv);
}
