/* Programs load the libraries of devices late and privately (CUDA's static run time opens libcuda.so.1), so that they are found by
 * their names among all that is loaded, and looked for again when there is more than before. */
#define _GNU_SOURCE /* dl_iterate_phdr */

#include "compiler/hooks/devices.h"

#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* What is known of the shared libraries: how many had been loaded so far, and whether one drives devices. */
typedef struct libraries {
  _Atomic unsigned long long loaded;
  _Atomic int devices;
} libraries;

static int look_for_devices(struct dl_phdr_info* info, size_t size, void* data) {
  static const char* const of_devices[] = {"libcuda.so", "libamdhip64.so", "libhsa-runtime64.so",
                                           "libze_loader.so"};
  libraries* known = data;
  (void)size;
  if (!*info->dlpi_name) /* the program itself comes first */
    return atomic_exchange(&known->loaded, info->dlpi_adds) == info->dlpi_adds;
  for (size_t i = 0; i < sizeof of_devices / sizeof *of_devices; ++i)
    if (strstr(info->dlpi_name, of_devices[i]))
      known->devices = 1;
  return known->devices;
}

int tacit_uses_devices(void) {
  static libraries known;
  dl_iterate_phdr(look_for_devices, &known);
  return known.devices;
}
