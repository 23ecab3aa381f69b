#include <stdlib.h>
int* allocate(int n) {
  return malloc(n * sizeof(int));
}
// A file that compile_commands.json lacks is what its extension says, also where the file that is most like it is of the other language.
// RUN: rm -rf %t && mkdir %t && cp %s %t/own.c && echo "int main() { return sizeof(bool) - 1; }" > %t/main.cpp && cp %t/main.cpp %t/own.cpp
// RUN: echo '[{"directory": "%t", "file": "main.cpp", "command": "c++ -std=c++20 -c main.cpp"}]' > %t/compile_commands.json
// RUN: %transform %t/own.c > %t/out.c && cmp %t/out.c %s
// RUN: %transform %t/main.cpp > %t/out.cpp && cmp %t/out.cpp %t/main.cpp
// RUN: cp %t/own.c %t/main.c && echo '[{"directory": "%t", "file": "main.c", "command": "cc -x c -std=c99 -c main.c"}]' > %t/compile_commands.json
// RUN: %transform %t/own.cpp > %t/out.cpp && cmp %t/out.cpp %t/own.cpp
// A file that is there is what its command makes of it.
// RUN: echo '[{"directory": "%t", "file": "main.c", "command": "c++ -c main.c"}]' > %t/compile_commands.json
// RUN: not %transform %t/main.c 2>&1 | grep "cannot initialize return object"
