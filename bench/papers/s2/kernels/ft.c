/* Spectral evolution as in NPB FT: a field is multiplied by a factor per wave number, transformed back by two
 * one-dimensional Fourier transforms with a transposition between them, and summed up; each step anew from
 * the same spectrum.
 *
 * ft POINTS STEPS: points per side of the square field, a power of two and a multiple of the ranks. */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef double complex number;

static int rank, ranks, n, rows;
static number* roots;

/* Stockham's form: two arrays, no bit reversal. The result is in `data`. */
static void transform(number* restrict data, number* restrict work) {
  number *from = data, *to = work;
  for (int half = n / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
    for (int p = 0; p < half; ++p) {
      const number root = roots[p * stride];
      for (int q = 0; q < stride; ++q) {
        const number a = from[q + stride * p], b = from[q + stride * (p + half)];
        to[q + stride * 2 * p] = a + b;
        to[q + stride * (2 * p + 1)] = (creal(a - b) * creal(root) - cimag(a - b) * cimag(root)) +
                                       (creal(a - b) * cimag(root) + cimag(a - b) * creal(root)) * I;
      }
    }
    number* swapped = from;
    from = to;
    to = swapped;
  }
  if (from != data)
    for (int i = 0; i < n; ++i)
      data[i] = from[i];
}

static void transform_rows(number* field, number* work) {
  for (int i = 0; i < rows; ++i)
    transform(field + (size_t)i * (size_t)n, work);
}

/* Block b of `out` goes to rank b: the columns that are its rows. */
static void pack(const number* restrict field, number* restrict out) {
  for (int b = 0; b < ranks; ++b)
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < rows; ++i)
        out[((size_t)b * (size_t)rows + (size_t)j) * (size_t)rows + (size_t)i] =
            field[(size_t)i * (size_t)n + (size_t)(b * rows + j)];
}

static void unpack(const number* restrict in, number* restrict field) {
  for (int b = 0; b < ranks; ++b)
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < rows; ++i)
        field[(size_t)j * (size_t)n + (size_t)(b * rows + i)] =
            in[((size_t)b * (size_t)rows + (size_t)j) * (size_t)rows + (size_t)i];
}

static void evolve(const number* restrict spectrum, number* restrict field, int step) {
  for (int i = 0; i < rows; ++i) {
    const int y = rank * rows + i, ky = y < n / 2 ? y : n - y;
    for (int j = 0; j < n; ++j) {
      const int kx = j < n / 2 ? j : n - j;
      field[(size_t)i * (size_t)n + (size_t)j] =
          spectrum[(size_t)i * (size_t)n + (size_t)j] / (1.0 + 1e-4 * step * (double)(kx * kx + ky * ky));
    }
  }
}

static number sum_up(const number* field) {
  number sum = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < n; ++j)
      sum += field[(size_t)i * (size_t)n + (size_t)j] * (double)(1 + (rank * rows + i + 3 * j) % 7);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  n = argc > 1 ? atoi(argv[1]) : 256;
  const int steps = argc > 2 ? atoi(argv[2]) : 4;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rows = n / ranks;
  const size_t points = (size_t)rows * (size_t)n;
  roots = malloc(sizeof(number) * (size_t)n);
  for (int i = 0; i < n; ++i)
    roots[i] = cexp(2 * M_PI * I * i / n);
  number* spectrum = malloc(sizeof(number) * points);
  number* field = malloc(sizeof(number) * points);
  number* turned = malloc(sizeof(number) * points);
  number* out = malloc(sizeof(number) * points);
  number* in = malloc(sizeof(number) * points);
  number* work = malloc(sizeof(number) * (size_t)n);
  for (size_t i = 0; i < points; ++i) {
    const double at = (double)((size_t)rank * points + i);
    spectrum[i] = sin(at * 0.37) + I * cos(at * 0.11);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  double total = 0;
  for (int step = 1; step <= steps; ++step) {
    evolve(spectrum, field, step);
    transform_rows(field, work);
    pack(field, out);
    MPI_Alltoall(out, rows * rows, MPI_C_DOUBLE_COMPLEX, in, rows * rows, MPI_C_DOUBLE_COMPLEX,
                 MPI_COMM_WORLD);
    unpack(in, turned);
    transform_rows(turned, work);
    const number mine = sum_up(turned);
    number all;
    MPI_Allreduce(&mine, &all, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
    total += cabs(all) / n;
  }
  const double mine = MPI_Wtime() - start;
  double seconds;
  MPI_Reduce(&mine, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("checksum %.13e\nseconds %.17g\n", total, seconds);
  MPI_Finalize();
  return 0;
}
