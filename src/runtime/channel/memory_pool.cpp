#include "runtime/channel/memory_pool.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <tuple>
#include <unistd.h>
#include <unordered_map>
#include <utility>

namespace tacit::runtime {
namespace {

/// Every part is aligned to its size, up to a page.
constexpr std::size_t smallest_part = 512, first_region = 64 << 10, largest_region = 4 << 20;

struct part {
  std::shared_ptr<shared_region> region;
  std::uint64_t offset = 0;
};

struct loan {
  part where;
  std::size_t bytes = 0;
  std::uint64_t users = 1; ///< who may still look at it: this process, and peers
};

struct pooled_region {
  std::shared_ptr<shared_region> memory;
  std::size_t begun = page, bytes = 0; ///< parts lie before `begun`
};

/// All of it: processes of different hosts may have the same number and start.
using owner_key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t>;
using region_key = std::pair<owner_key, std::uint64_t>; ///< and secret

owner_key key_of(const process_identity& p) {
  return {p.boot, p.pid_namespace, p.started, p.pid};
}

/// What this process lends, and what it has been shown.
struct pool {
  const pid_t process = ::getpid();
  std::vector<pooled_region> regions;
  std::map<std::size_t, std::vector<part>> free; ///< by bytes
  std::unordered_map<std::uint64_t, loan> loans;
  std::uint64_t last_number = static_cast<std::uint64_t>(process) << 32; ///< a child returns what it inherits
  std::map<region_key, std::shared_ptr<shared_region>> opened;
  std::map<owner_key, std::vector<std::uint64_t>> returns;

  std::string take(std::size_t bytes, part& out);
  std::string grow(std::size_t bytes);
  void give_back(std::uint64_t number);
  void forget_idle();
};

std::mutex pool_guard;

/// Never destroyed: parts may be given back while the program ends.
pool& the_pool() {
  static pool* known = nullptr;
  if (!known || known->process != ::getpid())
    known = new pool; // a child leaves its parent's memory alone
  return *known;
}

std::string pool::grow(std::size_t bytes) {
  const std::size_t wanted = std::max(
      page + bytes, std::min(first_region << std::min<std::size_t>(regions.size(), 10), largest_region));
  for (const std::size_t size : {wanted, page + bytes}) { // less, if memory is scarce
    auto memory = std::make_shared<shared_region>();
    std::string why = memory->make(size);
    if (why.empty()) {
      regions.push_back({std::move(memory), page, size});
      return {};
    }
    if (size == page + bytes)
      return why;
  }
  return {};
}

std::string pool::take(std::size_t bytes, part& out) {
  if (auto& list = free[bytes]; !list.empty()) {
    out = std::move(list.back());
    list.pop_back();
    std::memset(out.region->at(out.offset), 0, bytes);
    return {};
  }
  const auto start_in = [&](const pooled_region& r) {
    const std::size_t unit = std::min(bytes, page);
    return (r.begun + unit - 1) / unit * unit;
  };
  const auto fits = [&](const pooled_region& r) { return start_in(r) + bytes <= r.bytes; };
  auto found = std::find_if(regions.begin(), regions.end(), fits);
  if (found == regions.end()) {
    if (std::string why = grow(bytes); !why.empty())
      return why;
    found = std::prev(regions.end());
  }
  out = {found->memory, start_in(*found)};
  found->begun = out.offset + bytes;
  return {};
}

void pool::give_back(std::uint64_t number) {
  const auto found = loans.find(number);
  if (found == loans.end() || --found->second.users > 0)
    return;
  free[found->second.bytes].push_back(std::move(found->second.where));
  loans.erase(found);
}

/// Bounds what is kept of peers that have gone or made new regions.
void pool::forget_idle() {
  constexpr std::size_t many = 4096;
  if (opened.size() >= many)
    std::erase_if(opened, [](const auto& entry) { return entry.second.use_count() == 1; });
}

} // namespace

lent_part::~lent_part() {
  if (number_ == 0)
    return;
  const std::lock_guard lock(pool_guard);
  try {
    the_pool().give_back(number_);
  } catch (const std::bad_alloc&) { // stays lent
  }
}

void lent_part::swap(lent_part& other) noexcept {
  std::swap(region_, other.region_);
  std::swap(offset_, other.offset_);
  std::swap(bytes_, other.bytes_);
  std::swap(number_, other.number_);
}

std::string lent_part::take(std::size_t bytes) {
  lent_part made;
  made.bytes_ = bytes;
  if (bytes > longest_pooled) {
    made.region_ = std::make_shared<shared_region>();
    made.offset_ = page;
    if (std::string why = made.region_->make(page + bytes); !why.empty())
      return why;
  } else {
    const std::size_t rounded = std::bit_ceil(std::max(bytes, smallest_part));
    const std::lock_guard lock(pool_guard);
    pool& all = the_pool();
    part where;
    if (std::string why = all.take(rounded, where); !why.empty())
      return why;
    made.region_ = where.region;
    made.offset_ = where.offset;
    made.number_ = ++all.last_number;
    all.loans.emplace(made.number_, loan{std::move(where), rounded});
  }
  swap(made);
  return {};
}

part_address lent_part::show() {
  if (number_ != 0) {
    const std::lock_guard lock(pool_guard);
    ++the_pool().loans.at(number_).users;
  }
  return {region_->address(), offset_, bytes_, number_};
}

void lent_part::all_have_opened() {
  if (region_ && number_ == 0)
    region_->close_descriptor();
}

shown_part::~shown_part() {
  if (where_.number == 0)
    return;
  const std::lock_guard lock(pool_guard);
  try {
    the_pool().returns[key_of(owner_)].push_back(where_.number);
  } catch (const std::bad_alloc&) { // stays lent
  }
}

void shown_part::swap(shown_part& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(where_, other.where_);
  std::swap(region_, other.region_);
}

std::string shown_part::open() {
  const std::lock_guard lock(pool_guard);
  pool& all = the_pool();
  const region_key key{key_of(owner_), where_.region.secret};
  if (const auto known = all.opened.find(key); known != all.opened.end()) {
    region_ = known->second;
    return {};
  }
  auto opened = std::make_shared<shared_region>();
  if (std::string why = opened->open(owner_, where_.region); !why.empty())
    return why;
  region_ = std::move(opened);
  if (where_.number != 0) {
    all.forget_idle();
    all.opened.emplace(key, region_);
  }
  return {};
}

std::vector<std::uint64_t> loans_to_return(const process_identity& owner) {
  const std::lock_guard lock(pool_guard);
  auto& returns = the_pool().returns;
  const auto found = returns.find(key_of(owner));
  return found == returns.end() ? std::vector<std::uint64_t>() : std::exchange(found->second, {});
}

void take_back(const std::vector<std::uint64_t>& loans) {
  const std::lock_guard lock(pool_guard);
  for (const std::uint64_t number : loans)
    the_pool().give_back(number);
}

} // namespace tacit::runtime
