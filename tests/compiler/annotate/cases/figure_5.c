// Figure 5 of the paper before and after: tests/compiler/annotate/programs/figure_5.c.
// RUN: %transform --diff %programs/figure_5.c 2>/dev/null | %changes
// RUN: %transform --diff %programs/figure_5.c 2>&1 >/dev/null | %said
