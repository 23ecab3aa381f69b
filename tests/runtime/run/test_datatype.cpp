// Flattened datatypes against MPI_Pack: a buffer of known bytes, packed by MPI and by the segments.
#include "runtime/mpi/datatype.h"

#include "mpi_main.h"

#include <numeric>
#include <random>

namespace tacit::runtime {
namespace {

constexpr std::size_t arena_size = 1 << 16;

/// Arena with its origin in the middle, so that negative displacements stay inside.
std::vector<unsigned char> arena() {
  std::vector<unsigned char> bytes(arena_size);
  std::mt19937 random(7);
  for (auto& b : bytes)
    b = static_cast<unsigned char>(random());
  return bytes;
}

std::vector<unsigned char> packed_by_mpi(const unsigned char* at, int count, MPI_Datatype type) {
  int size = 0, position = 0;
  MPI_Type_commit(&type);
  MPI_Pack_size(count, type, MPI_COMM_SELF, &size);
  std::vector<unsigned char> out(static_cast<std::size_t>(size) + 1);
  MPI_Pack(at, count, type, out.data(), size + 1, &position, MPI_COMM_SELF);
  out.resize(static_cast<std::size_t>(position));
  return out;
}

std::vector<unsigned char> packed_by_segments(const unsigned char* at, int count, MPI_Datatype type) {
  std::vector<unsigned char> out;
  for (const graphs::segment& s : segments_of(at, static_cast<std::uint64_t>(count), flatten(type))) {
    const auto* from = reinterpret_cast<const unsigned char*>(s.address);
    out.insert(out.end(), from, from + s.length);
  }
  return out;
}

void expect_same(MPI_Datatype type, const std::string& what, int count = 2) {
  const auto bytes = arena();
  const unsigned char* middle = bytes.data() + arena_size / 2;
  MPI_Count size = 0;
  MPI_Type_size_x(type, &size);
  EXPECT_EQ(flatten(type).size, static_cast<std::uint64_t>(size)) << what;
  const auto packed = packed_by_mpi(middle, count, type);
  // MPICH 4.0.2 packs nothing for some types whose extent is 0, although it reports their size rightly.
  if (packed.size() != static_cast<std::size_t>(size) * static_cast<std::size_t>(count))
    return;
  EXPECT_EQ(packed_by_segments(middle, count, type), packed) << what;
}

TEST(datatype, named_types_and_pairs_with_holes) {
  for (MPI_Datatype type : {MPI_BYTE, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_C_DOUBLE_COMPLEX, MPI_2INT,
                            MPI_FLOAT_INT, MPI_SHORT_INT, MPI_LONG_INT, MPI_DOUBLE_INT})
    expect_same(type, "named", 3);
  EXPECT_EQ(flatten(MPI_SHORT_INT).segments, (std::vector<layout_segment>{{0, 2}, {4, 4}}));
}

TEST(datatype, darray_and_subarray) {
  const int sizes[] = {7, 6, 5},
            kinds[][3] = {{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE},
                          {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK}};
  const int arguments[][3] = {{MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_DISTRIBUTE_DFLT_DARG},
                              {MPI_DISTRIBUTE_DFLT_DARG, 3, MPI_DISTRIBUTE_DFLT_DARG}};
  const int grids[][3] = {{3, 2, 1}, {2, 2, 3}};
  for (int form = 0; form < 2; ++form)
    for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN})
      for (int rank = 0; rank < grids[form][0] * grids[form][1] * grids[form][2]; ++rank) {
        const int processes = grids[form][0] * grids[form][1] * grids[form][2];
        MPI_Datatype type;
        MPI_Type_create_darray(processes, rank, 3, sizes, kinds[form], arguments[form], grids[form], order,
                               MPI_SHORT, &type);
        expect_same(type, "darray of rank " + std::to_string(rank));
        MPI_Type_free(&type);
      }
  const int part[] = {3, 2, 4}, start[] = {2, 1, 0};
  for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
    MPI_Datatype type;
    MPI_Type_create_subarray(3, sizes, part, start, order, MPI_INT, &type);
    expect_same(type, "subarray");
    MPI_Type_free(&type);
  }
}

TEST(datatype, absolute_addresses) {
  int a[4] = {}, b[3] = {};
  MPI_Aint places[2];
  MPI_Get_address(a, &places[0]);
  MPI_Get_address(b, &places[1]);
  const int lengths[] = {4, 3};
  MPI_Datatype type;
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
  const auto found = segments_of(MPI_BOTTOM, 1, flatten(type));
  std::uint64_t total = 0;
  for (const graphs::segment& s : found)
    total += s.length;
  EXPECT_EQ(total, 28u);
  EXPECT_EQ(found.front().address, reinterpret_cast<std::uint64_t>(a));
  MPI_Type_free(&type);
}

TEST(datatype, dense_counts_beyond_int_are_one_segment) {
  const auto found = segments_of(nullptr, std::uint64_t{5} << 32, flatten(MPI_DOUBLE));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().length, std::uint64_t{40} << 32);
}

TEST(datatype, too_many_pieces_are_refused_before_they_are_listed) {
  constexpr int most = static_cast<int>(most_pieces);
  MPI_Datatype wide = MPI_DATATYPE_NULL, many = MPI_DATATYPE_NULL, some = MPI_DATATYPE_NULL;
  MPI_Type_vector(most + 1, 1, 2, MPI_BYTE, &wide);
  EXPECT_THROW(flatten(wide), too_many_pieces);
  MPI_Type_vector(1 << 14, 1, 2, MPI_BYTE, &some); // its last piece continues in the next element
  MPI_Type_contiguous(1 << 13, some, &many);
  EXPECT_THROW(flatten(many), too_many_pieces);
  EXPECT_THROW(segments_of(nullptr, 1 << 13, flatten(some)), too_many_pieces);
  EXPECT_EQ(segments_of(nullptr, 3, flatten(some)).size(), 3u * (1 << 14) - 2);
  MPI_Type_free(&wide);
  MPI_Type_vector(most + 1, 2, 2, MPI_BYTE, &wide); // one piece
  EXPECT_EQ(flatten(wide).segments.size(), 1u);
  for (MPI_Datatype* type : {&wide, &many, &some})
    MPI_Type_free(type);
}

TEST(datatype, null_handle_is_refused) {
  EXPECT_THROW(flatten(MPI_DATATYPE_NULL), datatype_error);
}

#if MPI_VERSION >= 4
TEST(datatype, large_count_constructors) {
  const MPI_Count lengths[] = {2, 1}, places[] = {0, 5}, bytes[] = {4, 64};
  const MPI_Datatype inner[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype type;
  MPI_Type_vector_c(3, 2, 4, MPI_INT, &type);
  expect_same(type, "vector_c");
  MPI_Type_free(&type);
  MPI_Type_create_hvector_c(3, 2, 24, MPI_INT, &type);
  expect_same(type, "hvector_c");
  MPI_Type_free(&type);
  MPI_Type_indexed_c(2, lengths, places, MPI_INT, &type);
  expect_same(type, "indexed_c");
  MPI_Type_free(&type);
  MPI_Type_create_struct_c(2, lengths, bytes, inner, &type);
  expect_same(type, "struct_c");
  MPI_Type_free(&type);
  MPI_Type_contiguous_c(3, MPI_INT, &type);
  expect_same(type, "contiguous_c");
  MPI_Type_free(&type);
}
#endif

/// A random tree of constructors over small types.
class type_maker {
public:
  explicit type_maker(unsigned seed) : random_(seed) {}
  MPI_Datatype make(int depth) {
    if (depth == 0) {
      const MPI_Datatype basic[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_SHORT_INT};
      return basic[number(0, 4)];
    }
    MPI_Datatype inner = make(depth - 1), out = MPI_DATATYPE_NULL;
    const int n = number(0, 3), length = number(0, 3);
    std::vector<int> lengths, places;
    std::vector<MPI_Aint> bytes;
    for (int i = 0; i < n; ++i) {
      lengths.push_back(number(0, 2));
      places.push_back(i * 3 + number(0, 1));
      bytes.push_back(i * 40 - number(0, 30));
    }
    switch (number(0, 8)) {
    case 0:
      MPI_Type_contiguous(n, inner, &out);
      break;
    case 1:
      MPI_Type_vector(n, length, number(-2, 4), inner, &out);
      break;
    case 2:
      MPI_Type_create_hvector(n, length, number(-50, 60), inner, &out);
      break;
    case 3:
      MPI_Type_indexed(n, lengths.data(), places.data(), inner, &out);
      break;
    case 4:
      MPI_Type_create_hindexed(n, lengths.data(), bytes.data(), inner, &out);
      break;
    case 5:
      MPI_Type_create_indexed_block(n, length, places.data(), inner, &out);
      break;
    case 6: {
      std::vector<MPI_Datatype> types;
      for (int i = 0; i < n; ++i)
        types.push_back(i % 2 ? inner : MPI_SHORT);
      MPI_Type_create_struct(n, lengths.data(), bytes.data(), types.data(), &out);
      break;
    }
    case 7:
      MPI_Type_create_resized(inner, number(-8, 8), number(0, 64), &out);
      break;
    default:
      MPI_Type_dup(inner, &out);
      break;
    }
    return out; // inner types are leaked: the test is short
  }

private:
  int number(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
  std::mt19937 random_;
};

TEST(datatype, random_trees_pack_alike) {
  for (unsigned seed = 1; seed <= 600; ++seed) {
    type_maker maker(seed);
    const MPI_Datatype type = maker.make(1 + static_cast<int>(seed % 3));
    expect_same(type, "seed " + std::to_string(seed));
    if (::testing::Test::HasFailure())
      return;
  }
}

} // namespace
} // namespace tacit::runtime

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
