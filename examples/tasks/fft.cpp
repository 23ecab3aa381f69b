// A Fourier transform of n = rows * columns values by three transposes. mpiexec -n 3 ./fft [rows] [columns]
//
// The "six-step" algorithm: x as a matrix is transposed, its rows are transformed, multiplied with the twiddle factors, transposed,
// transformed, and transposed once more. Rows are local; each transpose is an all-to-all, which tasks find in what they
// read, and which by hand is packed for MPI_Alltoallv. The result is compared with the twin's, bit by bit, and with a serial
// transform of the whole.
//
// Reference: Bailey, FFTs in external or hierarchical memory, 1990.
#include "twin.hpp"

#include <complex>
#include <numbers>
#include <tacit/tasks.hpp>

using value = std::complex<double>;
using matrix = tacit::buffer<value, 2>;

value root(std::size_t k, std::size_t n) {
  return std::polar(1.0, -2 * std::numbers::pi * double(k % n) / double(n));
}

/// Transforms n values, `stride` apart: by Cooley and Tukey's recursion for the smallest prime that divides n, any n.
void transform(const value* from, std::size_t stride, value* to, std::size_t n) {
  if (n == 1) {
    to[0] = from[0];
    return;
  }
  std::size_t radix = 2;
  while (n % radix != 0)
    ++radix;
  const std::size_t m = n / radix;
  for (std::size_t r = 0; r < radix; ++r)
    transform(from + r * stride, radix * stride, to + r * m, m);
  std::vector<value> terms(radix);
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t r = 0; r < radix; ++r)
      terms[r] = to[r * m + k] * root(r * k, n);
    for (std::size_t q = 0; q < radix; ++q) {
      value sum = 0;
      for (std::size_t r = 0; r < radix; ++r)
        sum += terms[r] * root(r * q, radix);
      to[q * m + k] = sum;
    }
  }
}

/// Row i of a matrix with `width` columns, transformed; with `all` > 0 times the twiddle factors of all values.
void transform_row(value* row, std::size_t i, std::size_t width, std::size_t all) {
  std::vector<value> out(width);
  transform(row, 1, out.data(), width);
  for (std::size_t j = 0; j < width; ++j)
    row[j] = all > 0 ? out[j] * root(i * j, all) : out[j];
}

/// Items are rows.
tacit::subrange<2> whole_rows(tacit::chunk<1> c, tacit::range<2> matrix) {
  return {{c.offset[0], 0}, {c.range[0], matrix[1]}};
}

void transform_rows(tacit::queue& queue, const matrix& of, std::size_t all) {
  queue.submit([&](tacit::handler& h) {
    tacit::accessor values(of, h, &whole_rows, tacit::read_write);
    const std::size_t width = of.get_range()[1];
    h.parallel_for<class transform_rows_kernel>(
        of.get_range()[0], [=](std::size_t i) { transform_row(&values(i, 0), i, width, all); });
  });
}

void transpose(tacit::queue& queue, const matrix& from, const matrix& to) {
  queue.submit([&](tacit::handler& h) {
    tacit::accessor in(from, h, tacit::access::transposed<1, 0>(), tacit::read_only);
    tacit::accessor out(to, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
    h.parallel_for<class transpose_kernel>(to.get_range(),
                                           [=](std::size_t i, std::size_t j) { out(i, j) = in(j, i); });
  });
}

value x_at(std::size_t i) {
  return {std::sin(double(i * i % 1009)), std::cos(double(i % 97))};
}

int main(int argc, char** argv) {
  const std::size_t rows = twin::argument(argc, argv, 1, 60), columns = twin::argument(argc, argv, 2, 50),
                    n = rows * columns;

  tacit::queue queue;
  matrix X({rows, columns}), Y({columns, rows}), Z({rows, columns}), result({columns, rows});
  queue.submit([&](tacit::handler& h) {
    tacit::accessor x(X, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
    h.parallel_for<class fill>(X.get_range(),
                               [=](std::size_t i, std::size_t j) { x(i, j) = x_at(i * columns + j); });
  });
  queue.wait(tacit::barrier);
  const double with_tasks = twin::timed([&] {
    transpose(queue, X, Y);
    transform_rows(queue, Y, n);
    transpose(queue, Y, Z);
    transform_rows(queue, Z, 0);
    transpose(queue, Z, result);
    queue.wait();
  });
  const auto all = queue.fence(result).get();

  const twin::rows mine(rows), turned(columns);
  const std::size_t height = mine.end - mine.begin, width = turned.end - turned.begin;
  std::vector<value> x, y(width * rows), z(height * columns), out(width * rows);
  for (std::size_t i = mine.begin * columns; i < mine.end * columns; ++i)
    x.push_back(x_at(i));
  const double by_hand = twin::timed([&] {
    twin::transpose(x.data(), rows, columns, y.data());
    for (std::size_t i = turned.begin; i < turned.end; ++i)
      transform_row(&y[(i - turned.begin) * rows], i, rows, n);
    twin::transpose(y.data(), columns, rows, z.data());
    for (std::size_t i = mine.begin; i < mine.end; ++i)
      transform_row(&z[(i - mine.begin) * columns], i, columns, 0);
    twin::transpose(z.data(), rows, columns, out.data());
  });

  std::vector<value> input(n), serial(n);
  for (std::size_t i = 0; i < n; ++i)
    input[i] = x_at(i);
  transform(input.data(), 1, serial.data(), n);
  double error = 0, size = 0; // relative to all of it
  for (std::size_t i = 0; i < n; ++i) {
    error += std::norm(all.get_data()[i] - serial[i]);
    size += std::norm(serial[i]);
  }
  const bool right = std::sqrt(error / size) < 1e-12;
  if (!right && twin::rank() == 0)
    std::printf("FFT: differs from a serial transform by %g\n", std::sqrt(error / size));
  const auto numbers = [](const value* of) {
    return reinterpret_cast<const double*>(of);
  }; // [complex.numbers] allows it
  const int equal = twin::compare("FFT", with_tasks, by_hand, numbers(all.get_data() + turned.begin * rows),
                                  numbers(out.data()), 2 * out.size());
  return right ? equal : 1;
}
