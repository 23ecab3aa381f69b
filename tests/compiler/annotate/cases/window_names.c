// Windows that macros and other names hide: tests/compiler/annotate/programs/window_names.c.
// RUN: %transform --diff %programs/window_names.c 2>/dev/null | %changes
// RUN: %transform --diff %programs/window_names.c 2>&1 >/dev/null | %said
