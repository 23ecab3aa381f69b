// Operators on datatypes, and the memory of all ranks filled with elements of one, for tests of reductions.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <mpi.h>
#include <random>
#include <string>
#include <vector>

namespace tacit::test {

inline int rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}
inline int size() {
  int n = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}

/// A byte, three bytes that belong to nobody, an integer.
struct with_gap {
  unsigned char small;
  int large;
};

inline int calls_under_way = 0;
inline bool overlapped = false; ///< an operator of the program was called while it ran

inline void mix(void* in, void* inout, int* count, MPI_Datatype*) {
  overlapped = overlapped || calls_under_way++ > 0;
  const auto* a = static_cast<const unsigned*>(in);
  auto* b = static_cast<unsigned*>(inout);
  for (int i = 0; i < *count; ++i)
    b[i] = a[i] * 31 + (b[i] ^ 7) * 17;
  --calls_under_way;
}

inline void mix_with_gap(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const with_gap*>(in);
  auto* b = static_cast<with_gap*>(inout);
  for (int i = 0; i < *count; ++i) {
    b[i].small = static_cast<unsigned char>(a[i].small * 3 + b[i].small);
    b[i].large = static_cast<int>(static_cast<unsigned>(a[i].large) * 5u - static_cast<unsigned>(b[i].large));
  }
}

/// An operator with a type, and how an element of it is first.
struct kind {
  const char* name;
  MPI_Op op;
  MPI_Datatype type;
  void (*fill)(unsigned char*, std::uint64_t);
  bool any_order;  ///< every order gives the same bits
  bool everywhere; ///< of MPI's own, and without gaps
  double (*number)(const unsigned char*) = nullptr;

  void expect_equal(const unsigned char* got, const unsigned char* wanted, int count, bool rounded) const {
    MPI_Aint low = 0, extent = 0;
    MPI_Type_get_extent(type, &low, &extent);
    for (int i = 0; i < count; ++i) {
      const unsigned char *const a = got + extent * i, *const b = wanted + extent * i;
      if (rounded && number)
        EXPECT_NEAR(number(a), number(b), 1e-4 * (1 + std::abs(number(b)))) << name << " " << i;
      else
        EXPECT_EQ(packed(a), packed(b)) << name << " " << i;
    }
  }
  std::string packed(const unsigned char* element) const {
    char room[64];
    int place = 0;
    MPI_Pack(element, 1, type, room, sizeof room, &place, MPI_COMM_SELF);
    return {room, static_cast<std::size_t>(place)};
  }
};

template <typename Number>
double number_at(const unsigned char* at) {
  Number value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

template <typename Number>
void fill_number(unsigned char* at, std::uint64_t random) {
  const auto value = static_cast<Number>(static_cast<double>(random % 20011) / 7 - 900);
  std::memcpy(at, &value, sizeof value);
}

inline void fill_place(unsigned char* at, std::uint64_t random) {
  const double value = static_cast<double>(random % 5);
  const int place = static_cast<int>(random % 1000);
  std::memcpy(at, &value, sizeof value);
  std::memcpy(at + sizeof value, &place, sizeof place);
}

inline void fill_two(unsigned char* at, std::uint64_t random) {
  const int value[] = {static_cast<int>(random % 5), static_cast<int>(random / 5 % 1000)};
  std::memcpy(at, value, sizeof value);
}

inline void fill_small(unsigned char* at, std::uint64_t random) {
  *at = static_cast<unsigned char>(random % 7); // too small for sums to leave the type
}

inline void fill_gap(unsigned char* at, std::uint64_t random) {
  with_gap value{};
  value.small = static_cast<unsigned char>(random);
  value.large = static_cast<int>(random >> 8);
  std::memcpy(at, &value, sizeof value);
}

struct kinds {
  kinds() {
    MPI_Op_create(mix, 0, &mixing);
    MPI_Op_create(mix_with_gap, 0, &mixing_with_gap);
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {offsetof(with_gap, small), offsetof(with_gap, large)};
    const MPI_Datatype types[] = {MPI_UNSIGNED_CHAR, MPI_INT};
    MPI_Datatype packed = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, lengths, places, types, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(with_gap), &gap);
    MPI_Type_free(&packed);
    MPI_Type_commit(&gap);
    all = {{"sum of int", MPI_SUM, MPI_INT, fill_number<int>, true, true},
           {"sum of double", MPI_SUM, MPI_DOUBLE, fill_number<double>, false, true, number_at<double>},
           {"product of float", MPI_PROD, MPI_FLOAT, fill_number<float>, false, true, number_at<float>},
           {"maximum of short", MPI_MAX, MPI_SHORT, fill_number<short>, true, true},
           {"xor of long", MPI_BXOR, MPI_LONG, fill_number<long>, true, true},
           {"minimum with place", MPI_MINLOC, MPI_DOUBLE_INT, fill_place, false, false},
           {"minimum with place, of int", MPI_MINLOC, MPI_2INT, fill_two, true, true},
           {"sum of signed char", MPI_SUM, MPI_SIGNED_CHAR, fill_small, false, true},
           {"own, of int", mixing, MPI_UNSIGNED, fill_number<unsigned>, false, false},
           {"own, with gaps", mixing_with_gap, gap, fill_gap, false, false}};
  }
  ~kinds() {
    MPI_Op_free(&mixing);
    MPI_Op_free(&mixing_with_gap);
    MPI_Type_free(&gap);
  }
  MPI_Op mixing = MPI_OP_NULL, mixing_with_gap = MPI_OP_NULL;
  MPI_Datatype gap = MPI_DATATYPE_NULL;
  std::vector<kind> all;
};

constexpr int elements = 24; ///< of each rank

class memory {
public:
  memory(const kind& k, int ranks, std::uint64_t seed) : k_(k) {
    MPI_Aint low = 0, extent = 0;
    MPI_Type_get_extent(k.type, &low, &extent);
    extent_ = static_cast<std::size_t>(extent);
    std::mt19937_64 random(seed);
    for (int r = 0; r < ranks; ++r) {
      auto& mine = bytes_.emplace_back(extent_ * elements, static_cast<unsigned char>(0));
      for (int i = 0; i < elements; ++i)
        k.fill(&mine[extent_ * static_cast<std::size_t>(i)], random());
    }
  }
  unsigned char* at(int rank, int element) {
    return &bytes_[static_cast<std::size_t>(rank)][extent_ * static_cast<std::size_t>(element)];
  }
  /// The data of a rank without gaps.
  std::string packed(const unsigned char* from) const {
    int room = 0, place = 0;
    MPI_Pack_size(elements, k_.type, MPI_COMM_SELF, &room);
    std::string out(static_cast<std::size_t>(room), '\0');
    MPI_Pack(from, elements, k_.type, out.data(), room, &place, MPI_COMM_SELF);
    out.resize(static_cast<std::size_t>(place));
    return out;
  }
  std::size_t bytes() const { return extent_ * elements; }

private:
  const kind& k_;
  std::size_t extent_ = 0;
  std::vector<std::vector<unsigned char>> bytes_;
};

} // namespace tacit::test
