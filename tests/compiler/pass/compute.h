/* What can run beside a message of n numbers. */
enum { n = 200000, steps = 3000 };
static double work[steps];
#define COMPUTE                                                                                              \
  for (int i = 0; i < steps; i++)                                                                            \
  work[i] = work[i] * 1.5 + i
