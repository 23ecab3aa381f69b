/* A library that gives out "device memory", as CUDA's does: ordinary memory that it says the processor must
 * not touch. It counts how often it is asked. */
#include <stddef.h>
#include <stdint.h>

static uintptr_t first, end;
static int questions;

void fake_device_memory(void* at, size_t bytes) {
  first = (uintptr_t)at;
  end = first + bytes;
}

int fake_device_questions(void) {
  return questions;
}

/* CUresult cuPointerGetAttribute(void*, CUpointer_attribute, CUdeviceptr): 2 is the memory type, of which 2
 * is the device; CUDA knows nothing of other memory (CUDA_ERROR_INVALID_VALUE). */
int cuPointerGetAttribute(void* answer, int attribute, uintptr_t address) {
  ++questions;
  if (address < first || address >= end)
    return 1;
  *(unsigned*)answer = attribute == 2 ? 2 : 0;
  return 0;
}
