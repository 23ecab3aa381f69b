// What goes wrong, planted: every rank has to hear of it, with names, and nobody may hang.
//
//     test_failures FAULT FILE       in a run each
//
// The program ends without MPI_Finalize, for which launchers end the other ranks, and may drop what those have printed. So each rank adds a
// line with what it caught to the file, and no rank ends before all have done so.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <string>
#include <tacit/tasks.hpp>
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
  if (fault == "mapper")
    q.submit([&](handler& h) {
      const auto silent = [](const tacit::chunk<1>&) -> tacit::subrange<1> {
        throw std::runtime_error("no answer");
      };
      const accessor from(x, h, silent, tacit::read_only);
      h.set_name("asking");
      h.parallel_for(x.get_range(), [=](std::size_t i) { (void)from[i]; });
    });
  if (fault ==
      "left") { // rank 0 ends its program, and the others would meet it at a wait that it never comes to
    if (rank == 0)
      throw std::runtime_error("of the program");
    q.wait();
    q.wait(tacit::barrier);
  }
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

void say(const char* file, std::string line) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  const int out = open(file, O_WRONLY | O_APPEND | O_CREAT, 0644);
  if (out < 0 || write(out, line.data(), line.size()) != static_cast<ssize_t>(line.size()) || close(out) != 0)
    std::perror(file);
}

void wait_for_lines(const char* file, int expected) {
  for (std::ptrdiff_t lines = 0; lines < expected; sched_yield()) {
    std::ifstream in(file);
    lines = std::count(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>(), '\n');
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3)
    return 2;
  const std::string fault = argv[1];
  std::string caught = "no error";
  signal(SIGTERM, SIG_IGN); // launchers end the others at once when one rank is killed
  try {
    run(fault);
  } catch (const tacit::task_error& e) {
    caught = e.what();
  } catch (const std::runtime_error&) {
    say(argv[2], "rank 0 leaves");
    return 0;
  }
  say(argv[2], "rank " + std::to_string(tacit::detail::rank()) + " says: " + caught);
  wait_for_lines(argv[2], fault == "killed" ? 2 : 3);
  _exit(3);
}
