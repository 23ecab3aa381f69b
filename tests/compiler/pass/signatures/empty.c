// The whole program is in the library.
static int nothing_else;
int* tacit_test_nothing_else(void);
int* tacit_test_nothing_else(void) {
  return &nothing_else;
}
