// What goes wrong, planted: every rank has to hear of it, with names, and nobody may hang. One fault a run: argv[1].
//
// The program ends without MPI_Finalize, so that the test looks at what is printed. Each rank prints what it caught.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <tacit/tasks.hpp>
#include <thread>
#include <unistd.h>

namespace {

using tacit::accessor;
using tacit::buffer;
using tacit::handler;

void fill(tacit::queue& q, const buffer<int, 1>& x) {
  q.submit([&](handler& h) {
    const accessor to(x, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
    h.set_name("fill");
    h.parallel_for(x.get_range(), [=](std::size_t i) { to[i] = static_cast<int>(i); });
  });
}

void read_all(tacit::queue& q, const buffer<int, 1>& x, const buffer<int, 1>& y, const char* name) {
  q.submit([&](handler& h) {
    const accessor from(x, h, tacit::access::all(), tacit::read_only);
    const accessor to(y, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
    h.set_name(name);
    h.parallel_for(y.get_range(), [=](std::size_t i) { to[i] = from[0]; });
  });
}

void run(const std::string& fault) {
  const int rank = tacit::detail::rank();
  tacit::queue q;
  const buffer<int, 1> x(100), y(100);
  fill(q, x);
  if (fault == "diverge") // rank 1 does something else, and the others wait for its data in vain
    read_all(q, x, y, rank == 1 ? "other" : "gather");
  if (fault == "fewer" && rank != 1)
    read_all(q, x, y, "gather");
  if (fault == "throw")
    q.submit([&](handler& h) {
      const accessor from(x, h, tacit::access::one_to_one(), tacit::read_only);
      h.set_name("thrower");
      h.parallel_for(x.get_range(), [=](std::size_t i) {
        if (i == 99)
          throw std::runtime_error("ninety-nine");
      });
    });
  if (fault == "overlap")
    q.submit([&](handler& h) {
      const accessor to(y, h, tacit::access::all(), tacit::write_only, tacit::no_init);
      h.set_name("overlapping");
      h.parallel_for(x.get_range(), [=](std::size_t) { to[0] = 1; });
    });
  if (fault == "devices") // disjoint for three ranks with 33 items each, not for the devices of one
    q.submit([&](handler& h) {
      const auto blocks = [](const tacit::chunk<1>& c) {
        const std::size_t begin = c.offset[0] / 33 * 33, end = (c.offset[0] + c.range[0] + 32) / 33 * 33;
        return tacit::subrange<1>(begin, end - begin);
      };
      const accessor to(y, h, blocks, tacit::write_only, tacit::no_init);
      h.set_name("blocks");
      h.parallel_for(tacit::range<1>(99), [=](std::size_t i) { to[i] = 1; });
    });
  if (fault == "outside") // the last item of rank 1 reaches into what rank 2 has
    q.submit([&](handler& h) {
      x.set_name("measured");
      const accessor from(x, h, tacit::access::one_to_one(), tacit::read_only);
      const accessor to(y, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
      h.set_name("reaching");
      h.parallel_for(x.get_range(), [=](std::size_t i) { to[i] = from[i == 66 ? 67 : i]; });
    });
  if (fault == "unwritten")
    (void)q.fence(y).get();
  if (fault == "killed") {
    q.wait();
    if (rank == 1)
      raise(SIGKILL);
    read_all(q, x, y, "gather");
  }
  (void)q.fence(x).get();
  q.wait(tacit::barrier);
}

} // namespace

int main(int argc, char** argv) {
  const std::string fault = argc > 1 ? argv[1] : "";
  signal(SIGTERM, SIG_IGN); // launchers end the others at once when one rank is killed
  try {
    run(fault);
    std::printf("rank %d: no error\n", tacit::detail::rank());
  } catch (const tacit::task_error& e) {
    std::printf("rank %d says: %s\n", tacit::detail::rank(), e.what());
  }
  std::fflush(stdout);
  std::this_thread::sleep_for(
      std::chrono::milliseconds(fault == "killed" ? 0 : 300)); // for the others to say it, too
  _exit(3);
}
