#include "runtime/executor/combine_together.h"

#include "runtime/mpi/tags.h"

#include <algorithm>

namespace tacit::runtime {

namespace {

/// Contributions have their place in the order of calls; slices are sent when they are ready, in any order.
constexpr int contribution_tag = 1;
constexpr int first_slice_tag = 2;

struct combining {
  contributions all;
  std::function<void(std::byte*)> then;
  std::vector<element_range> combined_by; ///< each member
  bool slices = false;
  std::vector<std::byte> received, result;
  std::size_t left = 0;

  std::size_t bytes(std::size_t elements) const { return elements * all.how->element_bytes; }
  std::size_t members() const { return all.ranks.size(); }
  const element_range& my_part() const { return combined_by[all.me]; }
};

element_range slice(std::size_t elements, std::size_t members, std::size_t number) {
  const std::size_t first = elements * number / members;
  return {first, elements * (number + 1) / members - first};
}

/// In the order of members, into the result.
void combine(combining& c) {
  const element_range& part = c.my_part();
  std::byte* first = c.received.data();
  for (std::size_t m = 1; m < c.members(); ++m)
    c.all.how->combine(first, c.received.data() + m * c.bytes(part.count), part.count);
  c.result.resize(c.all.mine.size());
  std::copy_n(first, c.bytes(part.count), c.result.data() + c.bytes(part.first));
}

void exchange_slices(pending_requests& with, MPI_Comm comm, int tag, const std::shared_ptr<combining>& c) {
  c->left = 1;
  const auto one = [c] {
    if (--c->left == 0)
      c->then(c->result.data());
  };
  for (std::size_t m = 0; m < c->members(); ++m) {
    if (m == c->all.me)
      continue;
    if (const element_range r = common(c->combined_by[m], c->all.wanted[c->all.me]); r.count > 0) {
      ++c->left;
      receive_bytes_from(with, c->result.data() + c->bytes(r.first), c->bytes(r.count), c->all.ranks[m], tag,
                         comm, one);
    }
    if (const element_range s = common(c->my_part(), c->all.wanted[m]); s.count > 0) {
      ++c->left;
      send_bytes_to(with, c->result.data() + c->bytes(s.first), c->bytes(s.count), c->all.ranks[m], tag, comm,
                    one);
    }
  }
  one();
}

} // namespace

element_range common(const element_range& a, const element_range& b) {
  const std::size_t first = std::max(a.first, b.first), end = std::min(a.end(), b.end());
  return first < end ? element_range{first, end - first} : element_range{};
}

bool in_slices(const contributions& all) {
  // Below, the second step costs more than the bytes: 32 KiB on 3 and 4 ranks of a busy node took 2 times as long, 512 KiB as long.
  constexpr std::size_t least_bytes = 1024 * 1024;
  const std::size_t p = all.ranks.size(), n = all.how->elements;
  std::size_t wanted = 0;
  for (const element_range& w : all.wanted)
    wanted += w.count;
  // (p - 1) wanted elements are sent directly; in slices (p - 1) n and then, of what is wanted, what others have combined.
  return n * all.how->element_bytes >= least_bytes && (p - 1) * wanted > p * n;
}

void combine_together(pending_requests& with, MPI_Comm comm, std::uint64_t number, contributions all,
                      std::function<void(std::byte*)> then) {
  const auto c = std::make_shared<combining>();
  c->slices = in_slices(all);
  for (std::size_t m = 0; m < all.ranks.size(); ++m)
    c->combined_by.push_back(c->slices ? slice(all.how->elements, all.ranks.size(), m) : all.wanted[m]);
  c->all = std::move(all);
  c->then = std::move(then);
  const auto tags = static_cast<std::uint64_t>(highest_tag(comm) - first_slice_tag);
  const int slice_tag = first_slice_tag + static_cast<int>(number % tags);
  const auto one = [&with, comm, slice_tag, c] {
    if (--c->left > 0)
      return;
    combine(*c);
    if (c->slices)
      exchange_slices(with, comm, slice_tag, c);
    else
      c->then(c->result.data());
  };
  const element_range& part = c->my_part();
  c->received.resize(c->bytes(part.count) * c->members());
  c->left = 1;
  for (std::size_t m = 0; m < c->members(); ++m) {
    std::byte* const at = c->received.data() + m * c->bytes(part.count);
    if (m == c->all.me) {
      std::copy_n(c->all.mine.data() + c->bytes(part.first), c->bytes(part.count), at);
      continue;
    }
    if (part.count > 0) {
      ++c->left;
      receive_bytes_from(with, at, c->bytes(part.count), c->all.ranks[m], contribution_tag, comm, one);
    }
    if (const element_range& theirs = c->combined_by[m]; theirs.count > 0) {
      ++c->left;
      send_bytes_to(with, c->all.mine.data() + c->bytes(theirs.first), c->bytes(theirs.count),
                    c->all.ranks[m], contribution_tag, comm, one);
    }
  }
  one();
}

} // namespace tacit::runtime
