// A program in Celerity's words, only its include and its namespace changed: the sum of each number's neighbors.
#include <tacit/celerity.hpp>

namespace celerity = tacit::celerity;

int main() {
  constexpr std::size_t n = 1000;
  celerity::queue queue;
  celerity::buffer<std::size_t, 1> numbers(n), sums(n);
  queue.submit([&](celerity::handler& cgh) {
    celerity::accessor to(numbers, cgh, celerity::access::one_to_one(), celerity::write_only,
                          celerity::no_init);
    cgh.parallel_for(numbers.get_range(), [=](celerity::item<1> item) { to[item] = item.get_id(0); });
  });
  queue.submit([&](celerity::handler& cgh) {
    celerity::accessor from(numbers, cgh, celerity::access::neighborhood(1), celerity::read_only);
    celerity::accessor to(sums, cgh, celerity::access::one_to_one(), celerity::write_only, celerity::no_init);
    cgh.parallel_for(sums.get_range(), [=](celerity::item<1> item) {
      const std::size_t i = item.get_id(0);
      to[item] = (i > 0 ? from[i - 1] : 0) + (i + 1 < n ? from[i + 1] : 0);
    });
  });
  queue.submit([&](celerity::handler& cgh) {
    celerity::accessor all(sums, cgh, celerity::access::all(), celerity::read_only_host_task);
    cgh.host_task(celerity::experimental::collective,
                  [=](celerity::experimental::collective_partition ranks) {
                    std::size_t wrong = 0;
                    for (std::size_t i = 0; i < n; ++i)
                      wrong += all[i] != (i > 0 ? i - 1 : 0) + (i + 1 < n ? i + 1 : 0);
                    if (ranks.get_node_index() == 0)
                      fmt::print("{} ranks, {} wrong numbers\n", ranks.get_num_nodes(), wrong);
                  });
  });
}
