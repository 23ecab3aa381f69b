// RUN: %transform --diff %programs/window_names.c 2>/dev/null | %changes
// RUN: %transform --diff %programs/window_names.c 2>&1 >/dev/null | %said
