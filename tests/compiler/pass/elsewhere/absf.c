/* Of programs/absf.c. */
double absf(const double* values, int count);
double absf(const double* values, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += values[i] < 0 ? -values[i] : values[i];
  return sum;
}
