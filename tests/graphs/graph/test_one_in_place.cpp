// Lists that keep their only item in place, of items that own memory: each is destroyed once, whatever happens to its list.
#include "graphs/graph/one_in_place.h"

#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

using namespace tacit;
using namespace tacit::graphs;

namespace {

/// A number on the heap, so that a sanitizer sees what is destroyed twice or never; all that are alive are counted, too.
class owned_number {
public:
  owned_number(int value = 0) : value_(std::make_unique<int>(value)) { ++alive; }
  owned_number(const owned_number& other) : owned_number(other.get()) {
    if (copies_left-- == 0)
      throw std::runtime_error("no memory");
  }
  owned_number(owned_number&& other) noexcept : value_(std::move(other.value_)) { ++alive; }
  owned_number& operator=(owned_number&& other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~owned_number() { --alive; }
  int get() const { return value_ ? *value_ : -1; }
  friend bool operator==(const owned_number& a, const owned_number& b) { return a.get() == b.get(); }

  static int alive, copies_left;

private:
  std::unique_ptr<int> value_;
};
int owned_number::alive = 0, owned_number::copies_left = -1;

using numbers = one_in_place<owned_number>;

std::vector<int> values(const numbers& list) {
  std::vector<int> out;
  for (const owned_number& x : list)
    out.push_back(x.get());
  return out;
}

numbers list_of(int count) {
  numbers list;
  for (int i = 0; i < count; ++i)
    list.emplace_back(i);
  return list;
}

} // namespace

TEST(OneInPlace, KeepsTheOnlyItemInPlace) {
  numbers list = list_of(1);
  const auto* const item = reinterpret_cast<const std::byte*>(list.data());
  EXPECT_GE(item, reinterpret_cast<const std::byte*>(&list));
  EXPECT_LT(item, reinterpret_cast<const std::byte*>(&list + 1));
  static_assert(std::is_nothrow_move_constructible_v<numbers> && std::is_nothrow_move_assignable_v<numbers>);
}

TEST(OneInPlace, DoesWhatAVectorDoes) {
  constexpr unsigned seed = 11;
  std::mt19937 random(seed);
  {
    std::vector<numbers> lists(4);
    std::vector<std::vector<int>> models(4);
    for (int round = 0; round < 20'000; ++round) {
      const std::size_t a = random() % lists.size(), b = random() % lists.size();
      numbers& list = lists[a];
      std::vector<int>& model = models[a];
      const int number = static_cast<int>(random() % 100);
      const std::size_t at = model.empty() ? 0 : random() % model.size();
      switch (random() % 11) {
      case 0:
        list.push_back(owned_number(number));
        model.push_back(number);
        break;
      case 1:
        list.emplace_back(number);
        model.push_back(number);
        break;
      case 2: // one of its own
        if (model.empty())
          break;
        list.push_back(list[at]);
        model.push_back(int{model[at]});
        break;
      case 3:
        lists[b] = list;
        models[b] = model;
        break;
      case 4:
        if (a == b)
          break;
        lists[b] = std::move(list);
        models[b] = std::exchange(model, {});
        break;
      case 5:
        std::swap(list, lists[b]);
        std::swap(model, models[b]);
        break;
      case 6:
        if (model.empty())
          break;
        list.pop_back();
        model.pop_back();
        break;
      case 7:
        if (model.empty())
          break;
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
        model.erase(model.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 8:
        erase_if(list, [](const owned_number& x) { return x.get() % 3 == 0; });
        std::erase_if(model, [](int x) { return x % 3 == 0; });
        break;
      case 9:
        list.resize(random() % 5);
        model.resize(list.size());
        break;
      default:
        list.reserve(random() % 8);
      }
      std::size_t all = 0;
      for (std::size_t i = 0; i < lists.size(); ++i) {
        ASSERT_EQ(values(lists[i]), models[i]) << "seed " << seed << ", round " << round;
        all += models[i].size();
      }
      ASSERT_EQ(owned_number::alive, static_cast<int>(all)) << "seed " << seed << ", round " << round;
    }
  }
  EXPECT_EQ(owned_number::alive, 0);
}

TEST(OneInPlace, IsAsBeforeWhereAnItemCannotBeCopied) {
  for (const int count : {0, 1, 2, 3, 4})
    for (const int copies : {0, 1, 2}) {
      numbers list = list_of(count);
      const numbers more = list_of(3);
      owned_number::copies_left = copies;
      EXPECT_THROW(list.insert_at_end(more.data(), more.size()), std::runtime_error);
      owned_number::copies_left = -1;
      EXPECT_EQ(list, list_of(count));
    }
  EXPECT_EQ(owned_number::alive, 0);
}
