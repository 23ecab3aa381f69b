// What is combined without MPI has the bytes that MPI_Reduce_local makes: all operators, types, counts, places in memory.
#include "runtime/mpi/operators.h"

#include "mpi_main.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

namespace tacit::test {
namespace {

using namespace runtime;

const std::vector<MPI_Op> operators{MPI_SUM,  MPI_PROD, MPI_MAX, MPI_MIN,  MPI_LAND,   MPI_LOR,
                                    MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};

std::vector<MPI_Datatype> types() {
  std::vector<MPI_Datatype> out{MPI_SIGNED_CHAR,
                                MPI_SHORT,
                                MPI_INT,
                                MPI_LONG,
                                MPI_LONG_LONG,
                                MPI_INT8_T,
                                MPI_INT16_T,
                                MPI_INT32_T,
                                MPI_INT64_T,
                                MPI_AINT,
                                MPI_OFFSET,
                                MPI_COUNT,
                                MPI_UNSIGNED_CHAR,
                                MPI_UNSIGNED,
                                MPI_UNSIGNED_LONG,
                                MPI_UNSIGNED_SHORT,
                                MPI_UINT8_T,
                                MPI_UINT16_T,
                                MPI_UINT32_T,
                                MPI_UINT64_T,
                                MPI_C_BOOL,
                                MPI_BYTE,
                                MPI_2INT,
                                MPI_DOUBLE_INT,
                                MPI_FLOAT,
                                MPI_DOUBLE,
                                MPI_LONG_DOUBLE,
                                MPI_C_DOUBLE_COMPLEX,
                                MPI_INTEGER,
                                MPI_REAL,
                                MPI_DOUBLE_PRECISION};
  std::erase(out, MPI_DATATYPE_NULL);
  return out;
}

class operands {
public:
  explicit operands(unsigned seed) : random_(seed) {}
  /// Any bits, with small numbers, zeros and ones among them; no NaN, of which nobody promises the bits.
  std::vector<std::byte> bytes(std::size_t count, std::size_t size, bool floating) {
    std::vector<std::byte> out(count * size);
    for (std::size_t i = 0; i < count; ++i) {
      std::byte* const at = out.data() + i * size;
      do
        fill(at, size);
      while (floating && is_nan(at, size));
    }
    return out;
  }

private:
  void fill(std::byte* at, std::size_t size) {
    const unsigned how = random_() % 4;
    for (std::size_t i = 0; i < size; ++i)
      at[i] = how == 0 ? std::byte{0} : static_cast<std::byte>(random_());
    if (how == 1) {
      std::memset(at, 0, size);
      at[0] = static_cast<std::byte>(random_() % 3);
    }
  }
  static bool is_nan(const std::byte* at, std::size_t size) {
    float f = 0;
    double d = 0;
    std::memcpy(size == sizeof f ? static_cast<void*>(&f) : &d, at, size);
    return std::isnan(size == sizeof f ? static_cast<double>(f) : d);
  }
  std::mt19937 random_;
};

TEST(own_loops, combine_as_mpi_does) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  operands random(seed);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int combined = 0;
  for (const MPI_Op op : operators)
    for (const MPI_Datatype type : types()) {
      const element_loop loop = why_not_combined(op, type).empty() ? own_loop(op, type) : nullptr;
      if (!loop)
        continue;
      std::byte nothing{};
      if (MPI_Reduce_local(&nothing, &nothing, 0, type, op) != MPI_SUCCESS)
        continue; // not every library combines what MPI says it must
      ++combined;
      int size = 0;
      MPI_Type_size(type, &size);
      const bool floating = describe_reducer(op, type).rounds;
      for (std::size_t count = 0; count < 150; count += count < 70 ? 1 : 13) {
        const auto from = random.bytes(count, static_cast<std::size_t>(size), floating);
        auto expected = random.bytes(count, static_cast<std::size_t>(size), floating);
        const std::size_t from_at = random.bytes(1, 1, false)[0] < std::byte{128} ? 0 : 3, at = count % 5;
        std::vector<std::byte> source(from_at + from.size() + 1),
            into(at + expected.size() + 1, std::byte{77});
        std::copy(from.begin(), from.end(), source.begin() + static_cast<std::ptrdiff_t>(from_at));
        std::copy(expected.begin(), expected.end(), into.begin() + static_cast<std::ptrdiff_t>(at));
        ASSERT_EQ(MPI_Reduce_local(from.data(), expected.data(), static_cast<int>(count), type, op),
                  MPI_SUCCESS);
        loop(source.data() + from_at, into.data() + at, count);
        ASSERT_EQ(std::vector<std::byte>(into.begin() + static_cast<std::ptrdiff_t>(at), into.end() - 1),
                  expected)
            << describe(describe_reducer(op, type)) << ", " << count << " elements";
        ASSERT_EQ(into.back(), std::byte{77});
      }
    }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  EXPECT_GT(combined, 100);
}

TEST(own_loops, are_none_where_mpi_differs_from_mpi_or_the_program_combines) {
  EXPECT_EQ(own_loop(MPI_SUM, MPI_SHORT), nullptr) << "saturates in some vector code";
  EXPECT_EQ(own_loop(MPI_MAX, MPI_OFFSET), nullptr) << "compared as if without sign by Open MPI 4.1";
  EXPECT_EQ(own_loop(MPI_MAX, MPI_DOUBLE), nullptr) << "of +0 and -0";
  EXPECT_EQ(own_loop(MPI_SUM, MPI_LONG_DOUBLE), nullptr);
  EXPECT_EQ(own_loop(MPI_PROD, MPI_C_DOUBLE_COMPLEX), nullptr);
  EXPECT_EQ(own_loop(MPI_LAND, MPI_C_BOOL), nullptr);
  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &own);
  EXPECT_EQ(own_loop(own, MPI_INT), nullptr);
  MPI_Op_free(&own);
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  EXPECT_EQ(own_loop(MPI_SUM, pair), nullptr);
  MPI_Type_free(&pair);
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
