#include "exchange.c"
