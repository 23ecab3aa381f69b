// A program of tasks for the tests of what is told about programs: dry runs, explanations, reports. Prints what its fence gives.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>
#include <tacit/tasks.hpp>

namespace {

using tacit::accessor;
using tacit::handler;

void run(std::size_t steps, const std::string& fault) {
  constexpr std::size_t n = 1000;
  tacit::queue q;
  const tacit::buffer<double, 1> x(n), y(n), sum(tacit::range<1>(1));
  x.set_name("x");
  y.set_name("y");
  sum.set_name("sum");
  q.submit([&](handler& h) {
    const accessor to(x, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
    h.set_name("fill");
    h.parallel_for(x.get_range(), [=](std::size_t i) { to[i] = static_cast<double>(i); });
  });
  if (fault == "alone")
    return;
  for (std::size_t s = 0; s < steps; ++s) {
    q.submit([&](handler& h) {
      const accessor from(x, h, tacit::access::neighborhood(1), tacit::read_only);
      const accessor to(y, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
      h.set_name("smooth");
      h.parallel_for(y.get_range(), [=](std::size_t i) { to[i] = (from[i == 0 ? 0 : i - 1] + from[i]) / 2; });
    });
    q.submit([&](handler& h) {
      const accessor from(y, h, tacit::access::all(), tacit::read_only);
      const accessor to(x, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
      h.set_name("turn");
      h.parallel_for(x.get_range(), [=](std::size_t i) { to[i] = from[n - 1 - i]; });
    });
  }
  if (fault == "unwritten")
    (void)q.fence(sum).get();
  std::printf("x[1] = %g\n", q.fence(x).get()[1]);
  q.wait(tacit::barrier);
  if (fault == "unheard")
    q.submit([&](handler& h) {
      const accessor from(sum, h, tacit::access::all(), tacit::read_only);
      h.set_name("last");
      h.parallel_for(1, [=](std::size_t) { (void)from[0]; });
    });
  if (fault == "full") { // from now on no file can be longer
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
}

} // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 3, argc > 2 ? argv[2] : "");
  } catch (const tacit::task_error& e) {
    std::printf("error: %s\n", e.what());
    return 3;
  }
  return argc > 3 ? std::atoi(argv[3]) : 0;
}
