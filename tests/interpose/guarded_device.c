/* Device memory that says who touches it.
 *
 * A fake device (tests/runtime/mpi/fake_device.c) says that some memory of this process is its own, and each single
 * access to that memory is looked at: it is protected, so that an access traps; the trap looks up who made it, lets that one
 * instruction through and protects the memory again. MPI and the program may go there, as if MPI knew the device. The
 * interposer may not: then the process says so and ends. */
#define _GNU_SOURCE
#include "guarded_device.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __x86_64__
enum { most_frames = 32, single_step = 0x100, exit_code = 99 };

static char* memory;
static size_t room;

/* The file of the function that called into libc, or did the access itself. */
static const char* file_behind(uintptr_t instruction) {
  void* frames[most_frames];
  const int n = backtrace(frames, most_frames);
  int i = 0;
  while (i < n && (uintptr_t)frames[i] != instruction)
    ++i;
  for (; i < n; ++i) {
    Dl_info at;
    if (dladdr(frames[i], &at) && at.dli_fname && !strstr(at.dli_fname, "libc.so"))
      return at.dli_fname;
  }
  return "";
}

static void accessed(int signal_number, siginfo_t* info, void* context) {
  greg_t* const registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  const char* const address = info->si_addr;
  if (address < memory || address >= memory + room) {
    signal(signal_number, SIG_DFL); /* a fault of the program's own */
    return;
  }
  const char* const file = file_behind((uintptr_t)registers[REG_RIP]);
  if (!*file || strstr(file, "tacit-interpose")) {
    static const char text[] = "the interposer touched device memory\n";
    if (write(2, text, sizeof text - 1) < 0)
      _exit(exit_code + 1);
    _exit(exit_code);
  }
  mprotect(memory, room, PROT_READ | PROT_WRITE);
  registers[REG_EFL] |= single_step;
}

static void stepped(int signal_number, siginfo_t* info, void* context) {
  (void)signal_number;
  (void)info;
  ((ucontext_t*)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)single_step;
  mprotect(memory, room, PROT_NONE);
}

static void guard(void) {
  struct sigaction action = {.sa_sigaction = accessed, .sa_flags = SA_SIGINFO};
  void* frames[1];
  backtrace(frames, 1); /* loads what it needs now, not within a trap */
  sigaction(SIGSEGV, &action, NULL);
  action.sa_sigaction = stepped;
  sigaction(SIGTRAP, &action, NULL);
  mprotect(memory, room, PROT_NONE);
}
#else
static char* memory;
static size_t room;

static void guard(void) {} /* that nothing is copied shows in the recording and in what is said */
#endif

void* guarded_device_memory(size_t bytes) {
  void* const device = dlopen(getenv("FAKE_DEVICE"), RTLD_NOW | RTLD_LOCAL);
  void (*give)(void*, size_t) = NULL;
  if (device)
    *(void**)&give = dlsym(device, "fake_device_memory");
  if (!give)
    return NULL;
  room = bytes;
  memory = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  give(memory, room);
  guard();
  return memory;
}
