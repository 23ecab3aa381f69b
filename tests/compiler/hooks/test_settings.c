/* Reads every variable of transformed programs, twice; settings_test.cmake looks at what is said. */
#include "compiler/hooks/check.h"
#include "compiler/hooks/copies.h"
#include "compiler/hooks/statistics.h"

int main(int argc, char** argv) {
  static char message[8192]; /* longer than what stays as written */
  MPI_Init(&argc, &argv);
  int odd = 0;
  for (int i = 0; i < 2; ++i) {
    odd |= tacit_checks() || tacit_counts() || tacit_sends_at_once(sizeof message, MPI_CHAR);
    void* copy = tacit_copy_message(message, sizeof message, MPI_CHAR, 0);
    if (copy)
      tacit_copy_unsent(copy);
  }
  MPI_Finalize();
  return odd;
}
