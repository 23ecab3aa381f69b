// Operators on datatypes, and the memory of all ranks filled with elements of one, for tests of reductions.
#pragma once

#include <tacit/tacit.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
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

/// Associates and commutes, to the last bit.
inline void add_and_flip(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const unsigned*>(in);
  auto* b = static_cast<unsigned*>(inout);
  for (int i = 0; i < 2 * *count; i += 2) {
    b[i] += a[i];
    b[i + 1] ^= a[i + 1];
  }
}

inline void add(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i)
    static_cast<unsigned*>(inout)[i] += static_cast<const unsigned*>(in)[i];
}

/// Of matrices of two rows and columns: associates to the last bit, does not commute.
inline void multiply(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const unsigned*>(in);
  auto* b = static_cast<unsigned*>(inout);
  for (int i = 0; i < 4 * *count; i += 4) {
    const unsigned x[] = {a[i] * b[i] + a[i + 1] * b[i + 2], a[i] * b[i + 1] + a[i + 1] * b[i + 3],
                          a[i + 2] * b[i] + a[i + 3] * b[i + 2], a[i + 2] * b[i + 1] + a[i + 3] * b[i + 3]};
    std::memcpy(b + i, x, sizeof x);
  }
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
  bool any_order;  ///< every order gives the same bits, and all ranks can combine
  bool everywhere; ///< of MPI's own, or added by all ranks, and without gaps
  double (*number)(const unsigned char*) = nullptr; ///< of those that round: its value
  bool added = false;                               ///< by tacit_graph_add_operator
  bool commutes = true;                             ///< or the order of the ranks counts

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

/// What a program does before it builds a graph with the operator.
inline void add_if_needed(tacit_graph g, const kind& k) {
  if (k.added) {
    ASSERT_EQ(tacit_graph_add_operator(g, k.op, k.type), TACIT_SUCCESS) << tacit_last_error();
  }
}

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

template <typename Number>
void fill_two_of(unsigned char* at, std::uint64_t random) {
  const Number value[] = {static_cast<Number>(random % 5), static_cast<Number>(random / 5 % 1000)};
  std::memcpy(at, value, sizeof value);
}

/// What stands in bytes that are no part of the number is copied, and compared, with it.
inline void fill_long_double(unsigned char* at, std::uint64_t random) {
  const auto value = static_cast<long double>(random % 20011) / 7 - 900;
  std::memset(at, 0, sizeof value);
  std::memcpy(at, &value, std::numeric_limits<long double>::digits == 64 ? 10 : sizeof value);
}

/// A pair as C lays it out, with nothing in its gaps.
template <typename Number>
void fill_pair(unsigned char* at, std::uint64_t random) {
  struct pair {
    Number value;
    int place;
  };
  const auto value = static_cast<Number>(random % 5);
  const int place = static_cast<int>(random / 5 % 1000);
  std::memset(at, 0, sizeof(pair));
  std::memcpy(at + offsetof(pair, value), &value, sizeof value);
  std::memcpy(at + offsetof(pair, place), &place, sizeof place);
}

inline void fill_truth(unsigned char* at, std::uint64_t random) {
  const int value = random % 3 == 0;
  std::memcpy(at, &value, sizeof value);
}

inline void fill_small(unsigned char* at, std::uint64_t random) {
  *at = static_cast<unsigned char>(random % 7); // too small for sums to leave the type
}

template <int words>
void fill_words(unsigned char* at, std::uint64_t random) {
  unsigned value[words];
  for (unsigned& x : value)
    x = static_cast<unsigned>(random = random * 6364136223846793005u + 1442695040888963407u);
  std::memcpy(at, value, sizeof value);
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
    MPI_Op_create(add_and_flip, 1, &adding);
    MPI_Op_create(multiply, 0, &multiplying);
    MPI_Op_create(add, 1, &summing);
    MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_contiguous(4, MPI_UNSIGNED, &matrix);
    MPI_Type_commit(&matrix);
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
           {"minimum with place", MPI_MINLOC, MPI_DOUBLE_INT, fill_pair<double>, false, false},
           {"minimum with place, of int", MPI_MINLOC, MPI_2INT, fill_two_of<int>, true, true},
           {"minimum with place, of float", MPI_MINLOC, MPI_FLOAT_INT, fill_pair<float>, false, true},
           {"maximum with place, of long", MPI_MAXLOC, MPI_LONG_INT, fill_pair<long>, false, false},
           {"maximum with place, of short", MPI_MAXLOC, MPI_SHORT_INT, fill_pair<short>, false, false},
           {"sum of long double", MPI_SUM, MPI_LONG_DOUBLE, fill_long_double, false, true,
            number_at<long double>},
           {"sum of signed char", MPI_SUM, MPI_SIGNED_CHAR, fill_small, false, true},
           {"own, of int", mixing, MPI_UNSIGNED, fill_number<unsigned>, false, false},
           {"own, with gaps", mixing_with_gap, gap, fill_gap, false, false},
           {"own, added", adding, pair, fill_words<2>, false, true, nullptr, true},
           {"own, added, on a type of MPI's", summing, MPI_UNSIGNED, fill_number<unsigned>, false, true,
            nullptr, true},
           {"own, added, that does not commute", multiplying, matrix, fill_words<4>, false, true, nullptr,
            true, false},
           {"own, added, with gaps", mixing_with_gap, gap, fill_gap, false, false, nullptr, true}};
    if (MPI_LOGICAL != MPI_DATATYPE_NULL) { // MPI may have been built without Fortran
      all.push_back({"or of LOGICAL", MPI_LOR, MPI_LOGICAL, fill_truth, true, true});
      all.push_back(
          {"maximum with place, of INTEGER", MPI_MAXLOC, MPI_2INTEGER, fill_two_of<int>, true, true});
      all.push_back({"minimum with place, of REAL", MPI_MINLOC, MPI_2REAL, fill_two_of<float>, false, true});
      all.push_back({"maximum with place, of DOUBLE PRECISION", MPI_MAXLOC, MPI_2DOUBLE_PRECISION,
                     fill_two_of<double>, false, true});
    }
  }
  ~kinds() {
    MPI_Op_free(&mixing);
    MPI_Op_free(&mixing_with_gap);
    MPI_Op_free(&adding);
    MPI_Op_free(&multiplying);
    MPI_Op_free(&summing);
    MPI_Type_free(&gap);
    MPI_Type_free(&pair);
    MPI_Type_free(&matrix);
  }
  MPI_Op mixing = MPI_OP_NULL, mixing_with_gap = MPI_OP_NULL, adding = MPI_OP_NULL, multiplying = MPI_OP_NULL,
         summing = MPI_OP_NULL;
  MPI_Datatype gap = MPI_DATATYPE_NULL, pair = MPI_DATATYPE_NULL, matrix = MPI_DATATYPE_NULL;
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

inline std::string explain(tacit_schedule s) {
  size_t needed = 0;
  tacit_explain(s, TACIT_EXPLAIN_TEXT, nullptr, 0, &needed);
  std::string text(needed, '\0');
  tacit_explain(s, TACIT_EXPLAIN_TEXT, text.data(), needed, nullptr);
  return text;
}

inline tacit_schedule compiled(tacit_graph g, const char* driver, bool permitted, const char* replace,
                               const char* plan = "") {
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tacit_replace", replace);
  if (*driver)
    MPI_Info_set(info, "tacit_driver", driver);
  if (*plan)
    MPI_Info_set(info, "tacit_plan", plan);
  if (permitted)
    MPI_Info_set(info, "tacit_allow_reassociation", "true");
  EXPECT_EQ(tacit_compile(g, info, &s), TACIT_SUCCESS) << tacit_last_error();
  MPI_Info_free(&info);
  return s;
}

} // namespace tacit::test
