// Random programs of tasks, executed, against the same program run serially on whole arrays: every element, bitwise.
//
// A task writes one buffer through one mapper and reads others through random ones; what it writes depends on every element that it
// says it reads, and on the task. So a lost, late or stale element shows. Sums are of integers: their order does not count.
#include "task_main.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace tacit {
namespace {

using word = std::uint64_t;
using place = std::array<std::size_t, 3>;

word mixed(word a, word b) {
  return (a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccd;
}

enum class way { one_to_one, all, fixed, slice, around, along, swapped, mirrored, count };

/// How a task accesses one buffer: the same said to the runtime, and element by element.
struct use {
  way how = way::one_to_one;
  std::size_t buffer = 0;
  place from{}, size{};  ///< fixed
  std::size_t slice = 0; ///< dimension
  std::size_t reach = 1; ///< around, along
};

struct program_buffer {
  place size{};
  std::vector<word> serial;
  buffer<word, 3> shared;
  bool initialized = false;
};

std::size_t index_in(const place& size, const place& at) {
  return (at[0] * size[1] + at[1]) * size[2] + at[2];
}

range<3> to_range(const place& p) {
  return {p[0], p[1], p[2]};
}

/// Calls visit(element) for all that one item accesses.
template <typename Visit>
void for_each_element(const use& u, const place& size, const place& item, const Visit& visit) {
  place low = item, high = {item[0] + 1, item[1] + 1, item[2] + 1};
  const auto boxes = [&](const place& l, const place& h) {
    for (std::size_t i = l[0]; i < std::min(h[0], size[0]); ++i)
      for (std::size_t j = l[1]; j < std::min(h[1], size[1]); ++j)
        for (std::size_t k = l[2]; k < std::min(h[2], size[2]); ++k)
          visit(place{i, j, k});
  };
  switch (u.how) {
  case way::one_to_one:
    break;
  case way::all:
    low = {}, high = size;
    break;
  case way::fixed:
    low = u.from, high = {u.from[0] + u.size[0], u.from[1] + u.size[1], u.from[2] + u.size[2]};
    break;
  case way::slice:
    low[u.slice] = 0, high[u.slice] = size[u.slice];
    break;
  case way::around:
    for (std::size_t d = 0; d < 3; ++d)
      low[d] -= std::min(low[d], u.reach), high[d] += u.reach;
    break;
  case way::along:
    for (std::size_t d = 0; d < 3; ++d) {
      place l = low, h = high;
      l[d] -= std::min(l[d], u.reach), h[d] += u.reach;
      boxes(l, h); // the middle three times, in the serial run, too
    }
    return;
  case way::swapped:
    low = {item[1], item[0], item[2]}, high = {item[1] + 1, item[0] + 1, item[2] + 1};
    break;
  case way::mirrored:
    low[0] = size[0] - 1 - item[0], high[0] = size[0] - item[0];
    break;
  case way::count:
    break;
  }
  boxes(low, high);
}

subrange<3> mirrored(const chunk<3>& part, const range<3>& size) {
  subrange<3> to(part);
  to.offset[0] = size[0] - part.offset[0] - part.range[0];
  return to;
}

template <access_mode Mode, typename... Tags>
accessor<word, 3, Mode> make_accessor(const use& u, const program_buffer& b, handler& h,
                                      const Tags&... tags) {
  switch (u.how) {
  case way::all:
    return {b.shared, h, access::all(), tags...};
  case way::fixed:
    return {b.shared, h, access::fixed<3>({{u.from[0], u.from[1], u.from[2]}, to_range(u.size)}), tags...};
  case way::slice:
    return {b.shared, h, access::slice<3>(u.slice), tags...};
  case way::around:
    return {b.shared, h, access::neighborhood<3>({u.reach, u.reach, u.reach}), tags...};
  case way::along:
    return {b.shared, h, access::neighborhood<3>({u.reach, u.reach, u.reach}, neighborhood_shape::along_axes),
            tags...};
  case way::swapped:
    return {b.shared, h, access::transposed<1, 0, 2>(), tags...};
  case way::mirrored:
    return {b.shared, h, &mirrored, tags...};
  default:
    return {b.shared, h, access::one_to_one(), tags...};
  }
}

class random_program {
public:
  explicit random_program(unsigned seed) : random_(seed) {
    const std::size_t count = 2 + below(3);
    const place base{1 + below(12), below(3) ? 1 + below(6) : 1, below(3) ? 1 : 1 + below(4)};
    for (std::size_t b = 0; b < count; ++b) {
      const place size = below(3) ? base : place{base[1], base[0], base[2]};
      const std::size_t volume = size[0] * size[1] * size[2];
      std::vector<word> start(volume);
      for (word& w : start)
        w = random_();
      const bool from_host = below(2) == 0;
      buffers_.push_back(
          {size, start,
           from_host ? buffer<word, 3>(start.data(), to_range(size)) : buffer<word, 3>(to_range(size)),
           from_host});
    }
    for (std::size_t b = 0; b < count; ++b)
      if (!buffers_[b].initialized)
        submit(task_writing(b, true));
  }

  void run(int tasks) {
    for (int i = 0; i < tasks; ++i) {
      if (below(9) == 0)
        check(below(buffers_.size()));
      else if (below(8) == 0)
        sum();
      else if (below(12) == 0)
        queue_.wait();
      else if (below(5) == 0)
        repeat();
      else
        submit(task_writing(below(buffers_.size()), false));
    }
    for (std::size_t b = 0; b < buffers_.size(); ++b)
      check(b);
  }

private:
  struct task {
    std::size_t written = 0;
    bool keeps = false; ///< reads what it overwrites
    way writes = way::one_to_one;
    int kind = 0; ///< 0, 1: kernel; 2: host task
    std::vector<use> reads;
    word salt = 0;
    place size{}; ///< the kernel's range
  };

  std::size_t below(std::size_t n) { return random_() % n; }

  bool fits(way how, const place& kernel, const place& size) const {
    if (how == way::swapped)
      return kernel[1] == size[0] && kernel[0] == size[1] && kernel[2] == size[2];
    if (how == way::all || how == way::fixed)
      return true;
    return kernel == size;
  }

  task task_writing(std::size_t b, bool first) {
    task t;
    t.written = b;
    t.salt = random_();
    t.keeps = !first && below(3) == 0;
    t.kind = static_cast<int>(below(3));
    const place& size = buffers_[b].size;
    t.writes = std::array{way::one_to_one, way::one_to_one, way::swapped, way::mirrored}[below(4)];
    t.size = t.writes == way::swapped ? place{size[1], size[0], size[2]} : size;
    for (std::size_t r = below(3); r > 0; --r) {
      use u;
      u.buffer = below(buffers_.size());
      if (u.buffer == b || !buffers_[u.buffer].initialized)
        continue;
      const place& other = buffers_[u.buffer].size;
      do
        u.how = static_cast<way>(below(static_cast<std::size_t>(way::count)));
      while (!fits(u.how, t.size, other));
      for (std::size_t d = 0; d < 3; ++d) {
        u.from[d] = below(other[d]);
        u.size[d] = 1 + below(other[d] - u.from[d]);
      }
      u.slice = below(3);
      u.reach = 1 + below(2);
      t.reads.push_back(u);
    }
    return t;
  }

  /// What one item writes; at(read, element) is what it sees.
  template <typename At>
  static word value_of(const task& t, const std::vector<place>& sizes, const place& item, word old,
                       const At& at) {
    word all = mixed(t.salt, index_in(t.size, item)) + (t.keeps ? old * 3 : 0);
    for (std::size_t r = 0; r < t.reads.size(); ++r)
      for_each_element(t.reads[r], sizes[r], item,
                       [&](const place& e) { all += mixed(at(r, e), index_in(sizes[r], e)); });
    return all;
  }

  void submit(const task& t) {
    std::vector<place> sizes;
    for (const use& u : t.reads)
      sizes.push_back(buffers_[u.buffer].size);
    const place out_size = buffers_[t.written].size;
    const use written{t.writes, t.written, {}, {}, 0, 0};
    queue_.submit([&](handler& h) {
      std::vector<accessor<word, 3, access_mode::read>> in;
      for (const use& u : t.reads)
        in.push_back(make_accessor<access_mode::read>(u, buffers_[u.buffer], h, read_only));
      if (t.keeps)
        describe(h, t, sizes, out_size, written, in,
                 make_accessor<access_mode::read_write>(written, buffers_[t.written], h, read_write));
      else
        describe(
            h, t, sizes, out_size, written, in,
            make_accessor<access_mode::discard_write>(written, buffers_[t.written], h, write_only, no_init));
    });
    buffers_[t.written].initialized = true;
    run_serially(t, sizes, out_size, written);
  }

  template <typename Out>
  static void describe(handler& h, const task& t, const std::vector<place>& sizes, const place& out_size,
                       const use& written, const std::vector<accessor<word, 3, access_mode::read>>& in,
                       const Out& out) {
    const auto one = [=](const place& item) {
      for_each_element(written, out_size, item, [&](const place& e) {
        word& to = out(e[0], e[1], e[2]);
        to = value_of(t, sizes, item, t.keeps ? to : 0,
                      [&](std::size_t r, const place& f) { return in[r](f[0], f[1], f[2]); });
      });
    };
    if (t.kind < 2)
      h.parallel_for(to_range(t.size), [=](item<3> i) { one({i[0], i[1], i[2]}); });
    else
      h.host_task(to_range(t.size), [=](const partition<3>& mine) {
        const auto where = mine.get_subrange();
        for (std::size_t i = 0; i < where.range[0]; ++i)
          for (std::size_t j = 0; j < where.range[1]; ++j)
            for (std::size_t k = 0; k < where.range[2]; ++k)
              one({where.offset[0] + i, where.offset[1] + j, where.offset[2] + k});
      });
  }

  void run_serially(const task& t, const std::vector<place>& sizes, const place& out_size,
                    const use& written) {
    std::vector<word>& out = buffers_[t.written].serial;
    for (std::size_t i = 0; i < t.size[0]; ++i)
      for (std::size_t j = 0; j < t.size[1]; ++j)
        for (std::size_t k = 0; k < t.size[2]; ++k)
          for_each_element(written, out_size, {i, j, k}, [&](const place& e) {
            word& to = out[index_in(out_size, e)];
            to = value_of(t, sizes, {i, j, k}, to, [&](std::size_t r, const place& f) {
              return buffers_[t.reads[r].buffer].serial[index_in(sizes[r], f)];
            });
          });
  }

  /// A loop: its exchanges are repeated, and so is what is planned, if it is long enough.
  void repeat() {
    std::vector<task> body;
    for (std::size_t n = 1 + below(3); n > 0; --n)
      body.push_back(task_writing(below(buffers_.size()), false));
    const bool is_long = below(3) == 0;
    for (std::size_t n = is_long ? 10 + below(30) : 3 + below(4); n > 0; --n) {
      if (is_long && below(20) == 0)
        submit(task_writing(below(buffers_.size()), false));
      if (is_long && below(20) == 0)
        check(below(buffers_.size()));
      if (is_long && below(30) == 0)
        body[below(body.size())] = task_writing(below(buffers_.size()), false);
      for (const task& t : body)
        submit(t);
    }
  }

  /// A reduction of one buffer, and its result in another task.
  void sum() {
    const program_buffer& from = buffers_[below(buffers_.size())];
    const buffer<word, 1> total(2);
    queue_.submit([&](handler& h) {
      const accessor in(from.shared, h, access::one_to_one(), read_only);
      const auto all = reduction(total, h, std::plus<word>(), initialize_to_identity());
      h.parallel_for(to_range(from.size), all, [=](item<3> i, auto& s) {
        s[0].combine(in[i]);
        s[1].combine(in[i] * in[i]);
      });
    });
    word once = 0, squared = 0;
    for (const word w : from.serial)
      once += w, squared += w * w;
    const auto result = queue_.fence(total).get();
    EXPECT_EQ(result[0], once);
    EXPECT_EQ(result[1], squared);
  }

  void check(std::size_t b) {
    const auto got = queue_.fence(buffers_[b].shared).get();
    const auto& expected = buffers_[b].serial;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (got.get_data()[i] != expected[i]) {
        ADD_FAILURE() << "buffer " << b << ", element " << i << " of " << expected.size();
        return;
      }
  }

  std::mt19937_64 random_;
  queue queue_;
  std::vector<program_buffer> buffers_;
};

TEST(random_programs, give_what_a_serial_run_gives) {
  const char* count = std::getenv("TACIT_FUZZ_COUNT");
  const char* first = std::getenv("TACIT_FUZZ_SEED");
  const unsigned from = first ? static_cast<unsigned>(std::atoi(first)) : 1;
  for (unsigned seed = from; seed < from + static_cast<unsigned>(count ? std::atoi(count) : 40); ++seed) {
    SCOPED_TRACE("TACIT_FUZZ_SEED=" + std::to_string(seed));
    try {
      random_program(seed).run(25);
    } catch (const std::exception& e) {
      FAIL() << e.what();
    }
    if (HasFailure())
      return;
  }
}

} // namespace
} // namespace tacit

int main(int argc, char** argv) {
  return tacit::test::task_main(argc, argv);
}
