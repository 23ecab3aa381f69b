// Figure 9 of the paper before and after: tests/compiler/annotate/programs/figure_9.c.
// RUN: %transform --diff --incoherent %programs/figure_9.c 2>/dev/null | %changes
// RUN: %transform --diff --incoherent %programs/figure_9.c 2>&1 >/dev/null | %said
