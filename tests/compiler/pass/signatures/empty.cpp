#include "empty.c"
