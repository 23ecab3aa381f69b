// Lists that keep their only item in place do what vectors do, of plain items and of items that own memory, each of which is destroyed
// once, whatever happens to its list.
#include "graphs/graph/segment_list.h"

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

template <typename Item>
Item item_of(int number);
template <>
owned_number item_of<owned_number>(int number) {
  return {number};
}
template <>
segment item_of<segment>(int number) {
  return {static_cast<std::uint64_t>(number), 0}; // as items are that `resize` makes
}

int number_of(const owned_number& item) {
  return item.get();
}
int number_of(const segment& item) {
  return static_cast<int>(item.address);
}

template <typename Item>
std::vector<int> numbers_in(const one_in_place<Item>& list) {
  std::vector<int> out;
  for (const Item& x : list)
    out.push_back(number_of(x));
  return out;
}

std::vector<int> numbers_to(int count) {
  std::vector<int> out;
  for (int i = 0; i < count; ++i)
    out.push_back(i);
  return out;
}

template <typename Item>
one_in_place<Item> list_of(int count) {
  one_in_place<Item> list;
  for (int i = 0; i < count; ++i)
    list.push_back(item_of<Item>(i));
  return list;
}

/// A few lists and what they have to be, changed in all ways in an order drawn at random.
template <typename Item>
class changed_lists {
public:
  explicit changed_lists(unsigned seed) : random_(seed), lists_(4), models_(4) {}

  void change() {
    const std::size_t a = random_() % lists_.size(), b = random_() % lists_.size();
    if (random_() % 2 == 0)
      change_one(lists_[a], models_[a]);
    else
      change_by_other(a, b);
    EXPECT_EQ(lists_[a] == lists_[b], models_[a] == models_[b]);
  }
  void compare() const {
    [[maybe_unused]] std::size_t all = 0;
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      ASSERT_EQ(numbers_in(lists_[i]), models_[i]);
      ASSERT_EQ(lists_[i].size(), models_[i].size());
      ASSERT_EQ(lists_[i].empty(), models_[i].empty());
      all += models_[i].size();
    }
    if constexpr (std::is_same_v<Item, owned_number>) {
      ASSERT_EQ(owned_number::alive, static_cast<int>(all));
    }
  }

private:
  using list_type = one_in_place<Item>;

  void change_one(list_type& list, std::vector<int>& model) {
    const int number = static_cast<int>(random_() % 100);
    const std::size_t at = model.empty() ? 0 : random_() % model.size();
    switch (model.empty() ? random_() % 6 : random_() % 9) {
    case 0:
      list.push_back(item_of<Item>(number));
      model.push_back(number);
      break;
    case 1:
      list.emplace_back(item_of<Item>(number));
      model.push_back(number);
      break;
    case 2:
      erase_if(list, [](const Item& x) { return number_of(x) % 3 == 0; });
      std::erase_if(model, [](int x) { return x % 3 == 0; });
      break;
    case 3:
      list.resize(random_() % 5);
      model.resize(list.size());
      break;
    case 4:
      list.reserve(random_() % 8);
      break;
    case 5:
      list.clear();
      model.clear();
      break;
    case 6: // one of its own
      list.push_back(list[at]);
      model.push_back(int{model[at]});
      break;
    case 7:
      list.pop_back();
      model.pop_back();
      break;
    default:
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
      model.erase(model.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  void change_by_other(std::size_t a, std::size_t b) {
    switch (random_() % 5) {
    case 0: // perhaps by itself
      if (models_[a].size() + models_[b].size() > 200)
        break;
      lists_[a].insert_at_end(lists_[b].data(), lists_[b].size());
      models_[a].insert(models_[a].end(), models_[b].begin(), models_[b].end());
      break;
    case 1:
      lists_[a] = lists_[b];
      models_[a] = models_[b];
      break;
    case 2:
      if (a == b)
        break;
      lists_[a] = std::move(lists_[b]);
      models_[a] = std::exchange(models_[b], {});
      break;
    case 3:
      std::swap(lists_[a], lists_[b]);
      std::swap(models_[a], models_[b]);
      break;
    default:
      lists_[a] = std::vector<Item>(lists_[b].begin(), lists_[b].end());
      models_[a] = models_[b];
    }
  }

  std::mt19937 random_;
  std::vector<list_type> lists_;
  std::vector<std::vector<int>> models_;
};

template <typename Item>
class OneInPlace : public testing::Test {
protected:
  void TearDown() override { EXPECT_EQ(owned_number::alive, 0); }
};
using items = testing::Types<segment, owned_number>;
TYPED_TEST_SUITE(OneInPlace, items);

} // namespace

TYPED_TEST(OneInPlace, KeepsTheOnlyItemInPlace) {
  using list_type = one_in_place<TypeParam>;
  const list_type list = list_of<TypeParam>(1);
  const auto* const item = reinterpret_cast<const std::byte*>(list.data());
  EXPECT_GE(item, reinterpret_cast<const std::byte*>(&list));
  EXPECT_LT(item, reinterpret_cast<const std::byte*>(&list + 1));
  static_assert(std::is_nothrow_move_constructible_v<list_type> &&
                std::is_nothrow_move_assignable_v<list_type>);
}

TYPED_TEST(OneInPlace, DoesWhatAVectorDoes) {
  constexpr unsigned seed = 11;
  changed_lists<TypeParam> lists(seed);
  for (int round = 0; round < 40'000 && !this->HasFailure(); ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
    lists.change();
    lists.compare();
  }
}

TYPED_TEST(OneInPlace, TakesItemsOfItsOwn) {
  for (const int count : {0, 1, 2, 3, 4, 5}) {
    auto list = list_of<TypeParam>(count);
    list.insert_at_end(list.data(), list.size());
    std::vector<int> expected = numbers_to(count);
    for (const int number : numbers_to(count))
      expected.push_back(number);
    EXPECT_EQ(numbers_in(list), expected);
    if (count == 0)
      continue;
    list = list_of<TypeParam>(count);
    list.push_back(list.front()); // grows, of one and two items
    expected = numbers_to(count);
    expected.push_back(0);
    EXPECT_EQ(numbers_in(list), expected);
  }
}

TYPED_TEST(OneInPlace, IsAssignedToItself) {
  for (const int count : {0, 1, 3}) {
    auto list = list_of<TypeParam>(count);
    const auto& same = list;
    list = same;
    EXPECT_EQ(numbers_in(list), numbers_to(count));
  }
}

TYPED_TEST(OneInPlace, LeavesNothingWhereItIsMovedFrom) {
  for (const int count : {1, 3}) {
    auto from = list_of<TypeParam>(count);
    const auto to = std::move(from);
    EXPECT_EQ(numbers_in(to), numbers_to(count));
    from = list_of<TypeParam>(2);
    EXPECT_EQ(numbers_in(from), numbers_to(2));
  }
}

TEST(OneInPlaceOfItems, IsAsBeforeWhereAnItemCannotBeCopied) {
  for (const int count : {0, 1, 2, 3, 4})
    for (const int copies : {0, 1, 2}) {
      auto list = list_of<owned_number>(count);
      const auto more = list_of<owned_number>(3);
      owned_number::copies_left = copies;
      EXPECT_THROW(list.insert_at_end(more.data(), more.size()), std::runtime_error);
      owned_number::copies_left = 0;
      EXPECT_THROW(list.push_back(more.front()), std::runtime_error);
      owned_number::copies_left = -1;
      EXPECT_EQ(numbers_in(list), numbers_to(count));
    }
  EXPECT_EQ(owned_number::alive, 0);
}

/// Else each place that still wants a vector would copy unnoticed.
TEST(SegmentList, DoesNotBecomeAVectorByItself) {
  static_assert(!std::is_convertible_v<segment_list, std::vector<segment>>);
  static_assert(std::is_convertible_v<segment_list&, std::span<const segment>>);
  static_assert(std::is_convertible_v<std::vector<segment>, segment_list>);
}

TEST(SegmentList, AppendsPiecesOfItself) {
  segment_list list{{0, 8}, {16, 8}};
  append(list, list);
  append(list, std::span(list).subspan(1, 1));
  EXPECT_EQ(list, (std::vector<segment>{{0, 8}, {16, 8}, {0, 8}, {16, 8}, {16, 8}}));
}
