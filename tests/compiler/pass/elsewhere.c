/* A routine in another file, of which the compiler of the caller knows nothing. */
void touch_elsewhere(unsigned long* at, int count);
void touch_elsewhere(unsigned long* at, int count) {
  for (int i = 0; i < count; i++)
    at[i] = at[i] * 31 + 7;
}
