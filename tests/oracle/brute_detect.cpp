#include "oracle/brute_detect.h"

#include <algorithm>
#include <map>

namespace tacit::oracle {

namespace {

using mask = std::uint32_t; ///< a set of moved bytes

struct moved_byte {
  std::size_t from, to;
  std::uint64_t address;
};

struct instance {
  mask bytes;
  int kind; ///< index into counts
};

class brute_search {
public:
  brute_search(std::size_t ranks, const std::vector<transfer>& moved) : ranks_(ranks) {
    for (const transfer& t : moved) {
      if (t.source == no_rank || t.source == t.destination)
        continue;
      for (std::uint64_t b = 0; b < t.length; ++b)
        bytes_.push_back({index(t.source), index(t.destination), t.source_address + b});
    }
    list_instances();
  }

  counts best() { return best((mask{1} << bytes_.size()) - 1); }

private:
  /// Every way to choose one byte from each of the given sets.
  static std::vector<mask> products(const std::vector<std::vector<mask>>& sets) {
    std::vector<mask> result{0};
    for (const auto& set : sets) {
      std::vector<mask> longer;
      for (const mask m : result)
        for (const mask one : set)
          longer.push_back(m | one);
      result = longer;
    }
    return result;
  }

  std::vector<mask> bytes_of(std::size_t from, std::size_t to) const {
    std::vector<mask> list;
    for (std::size_t k = 0; k < bytes_.size(); ++k)
      if (bytes_[k].from == from && bytes_[k].to == to)
        list.push_back(mask{1} << k);
    return list;
  }

  std::vector<mask> copies_of(std::size_t from, std::size_t to, std::uint64_t address) const {
    std::vector<mask> list;
    for (std::size_t k = 0; k < bytes_.size(); ++k)
      if (bytes_[k].from == from && bytes_[k].to == to && bytes_[k].address == address)
        list.push_back(mask{1} << k);
    return list;
  }

  std::vector<mask> broadcasts_of(std::size_t root) const {
    std::vector<std::uint64_t> addresses;
    for (const moved_byte& b : bytes_)
      if (b.from == root)
        addresses.push_back(b.address);
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    std::vector<mask> list;
    for (const std::uint64_t address : addresses) {
      std::vector<std::vector<mask>> sets;
      for (std::size_t j = 0; j < ranks_; ++j)
        if (j != root)
          sets.push_back(copies_of(root, j, address));
      const auto ways = products(sets);
      list.insert(list.end(), ways.begin(), ways.end());
    }
    return list;
  }

  void add(int kind, const std::vector<mask>& ways) {
    for (const mask m : ways)
      instances_[m & (~m + 1)].push_back({m, kind});
  }

  void list_instances() {
    std::vector<std::vector<mask>> all_pairs, all_broadcasts;
    for (std::size_t i = 0; i < ranks_; ++i) {
      std::vector<std::vector<mask>> row, column;
      for (std::size_t j = 0; j < ranks_; ++j)
        if (i != j) {
          row.push_back(bytes_of(i, j));
          column.push_back(bytes_of(j, i));
          all_pairs.push_back(bytes_of(i, j));
        }
      add(3, products(row));
      add(3, products(column));
      all_broadcasts.push_back(broadcasts_of(i));
      add(1, all_broadcasts.back());
    }
    add(2, products(all_pairs));
    add(0, products(all_broadcasts));
  }

  /// The best packing of a set of bytes: its lowest byte is left alone or lies in one of the instances.
  counts best(mask bytes) {
    if (bytes == 0)
      return {};
    if (const auto known = known_.find(bytes); known != known_.end())
      return known->second;
    const mask lowest = bytes & (~bytes + 1);
    counts result = best(bytes & ~lowest);
    for (const instance& x : instances_[lowest]) {
      if ((x.bytes & ~bytes) != 0)
        continue;
      counts with = best(bytes & ~x.bytes);
      ++with[static_cast<std::size_t>(x.kind)];
      result = std::max(result, with);
    }
    return known_[bytes] = result;
  }

  std::size_t ranks_;
  std::vector<moved_byte> bytes_;
  std::map<mask, std::vector<instance>> instances_; ///< by lowest byte
  std::map<mask, counts> known_;
};

} // namespace

counts brute_detect(std::uint32_t ranks, const std::vector<transfer>& moved) {
  if (ranks < 2)
    return {};
  return brute_search(ranks, moved).best();
}

} // namespace tacit::oracle
