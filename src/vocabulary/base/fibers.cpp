#include "vocabulary/base/fibers.h"

#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace tacit::vocabulary {

namespace {

/// Address space, of which the kernel gives pages as they are touched; below it lies a page that nobody may touch.
class fiber_stack {
public:
  explicit fiber_stack(std::size_t bytes)
      : guard_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), bytes_(bytes) {
    all_ = mmap(nullptr, guard_ + bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
    if (all_ == MAP_FAILED)
      throw std::bad_alloc();
    mprotect(all_, guard_, PROT_NONE);
  }
  fiber_stack(const fiber_stack&) = delete;
  fiber_stack& operator=(const fiber_stack&) = delete;
  ~fiber_stack() {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(bottom(), bytes_); // whatever lies here next is no frame of this stack
#endif
    munmap(all_, guard_ + bytes_);
  }
  std::byte* bottom() const { return static_cast<std::byte*>(all_) + guard_; }
  std::size_t bytes() const { return bytes_; }

private:
  std::size_t guard_, bytes_;
  void* all_;
};

} // namespace

#if defined(__x86_64__)

// Saves what a call preserves on the stack that is left, the stack pointer in *from, and continues where `to` was left.
extern "C" void tacit_switch_stack(void** from, void* to);
asm(R"(
.text
.p2align 4
.hidden tacit_switch_stack
.globl tacit_switch_stack
.type tacit_switch_stack, @function
tacit_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size tacit_switch_stack, .-tacit_switch_stack
)");

class stack_switch {
public:
  /// The first switch to a fiber returns into `entry`, which never returns itself; the stack is then as after a call.
  void prepare(std::byte* bottom, std::size_t bytes, void (*entry)()) {
    auto* top = reinterpret_cast<std::uintptr_t*>(bottom + bytes) - 3; // 8 above a multiple of 16
    top[0] = 0;                                                        // the return address of entry
    *--top = reinterpret_cast<std::uintptr_t>(entry);
    for (int i = 0; i < 6; ++i)
      *--top = 0;
    std::uint32_t mxcsr = 0;
    std::uint16_t control = 0;
    asm volatile("stmxcsr %0\n fnstcw %1" : "=m"(mxcsr), "=m"(control));
    *--top = mxcsr | static_cast<std::uintptr_t>(control) << 32;
    inside_ = top;
  }
  void enter() { tacit_switch_stack(&outside_, inside_); }
  void leave() { tacit_switch_stack(&inside_, outside_); }
  void hand_over(stack_switch& to) {
    to.outside_ = outside_;
    tacit_switch_stack(&inside_, to.inside_);
  }

private:
  void* inside_ = nullptr;
  void* outside_ = nullptr;
};

#else

class stack_switch {
public:
  void prepare(std::byte* bottom, std::size_t bytes, void (*entry)()) {
    getcontext(&inside_);
    inside_.uc_stack.ss_sp = bottom;
    inside_.uc_stack.ss_size = bytes;
    inside_.uc_link = nullptr;
    makecontext(&inside_, entry, 0);
  }
  void enter() {
    ucontext_t outside;
    outside_ = &outside;
    swapcontext(&outside, &inside_);
  }
  void leave() { swapcontext(&inside_, outside_); }
  void hand_over(stack_switch& to) {
    to.outside_ = outside_;
    swapcontext(&inside_, &to.inside_);
  }

private:
  ucontext_t inside_;
  ucontext_t* outside_ = nullptr; ///< on the stack of enter(), which goes on there
};

#endif

namespace {

/// What a switch has to tell sanitizers.
class watched_switch {
public:
  void begin([[maybe_unused]] const fiber_stack& stack) {
#if defined(__SANITIZE_THREAD__)
    inside_ = __tsan_create_fiber(0);
#endif
#if defined(__SANITIZE_ADDRESS__)
    bottom_ = stack.bottom();
    bytes_ = stack.bytes();
#endif
  }
  void end() {
#if defined(__SANITIZE_THREAD__)
    __tsan_destroy_fiber(inside_);
#endif
  }
  void before_enter() {
#if defined(__SANITIZE_THREAD__)
    outside_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(inside_, 0);
#endif
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&outside_fake_, bottom_, bytes_);
#endif
  }
  void after_enter() { // back outside
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(outside_fake_, nullptr, nullptr);
#endif
  }
  void before_leave() {
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(outside_, 0);
#endif
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&inside_fake_, outside_bottom_, outside_bytes_);
#endif
  }
  void after_leave() { // inside, at the beginning or again
#if defined(__SANITIZE_ADDRESS__)
    const bool knows_outside = std::exchange(handed_over_, false);
    __sanitizer_finish_switch_fiber(inside_fake_, knows_outside ? nullptr : &outside_bottom_,
                                    knows_outside ? nullptr : &outside_bytes_);
#endif
  }
  void before_hand_over([[maybe_unused]] watched_switch& to) {
#if defined(__SANITIZE_THREAD__)
    to.outside_ = outside_;
    __tsan_switch_to_fiber(to.inside_, 0);
#endif
#if defined(__SANITIZE_ADDRESS__)
    to.outside_bottom_ = outside_bottom_;
    to.outside_bytes_ = outside_bytes_;
    to.handed_over_ = true;
    __sanitizer_start_switch_fiber(&inside_fake_, to.bottom_, to.bytes_);
#endif
  }

private:
#if defined(__SANITIZE_THREAD__)
  void* inside_ = nullptr;
  void* outside_ = nullptr;
#endif
#if defined(__SANITIZE_ADDRESS__)
  void* inside_fake_ = nullptr;
  void* outside_fake_ = nullptr;
  const void* bottom_ = nullptr;
  const void* outside_bottom_ = nullptr;
  std::size_t outside_bytes_ = 0, bytes_ = 0;
  bool handed_over_ = false; ///< it comes from another fiber, not from outside
#endif
};

} // namespace

struct fiber::state {
  state(std::function<void()> main_, std::size_t stack_bytes) : stack(stack_bytes), main(std::move(main_)) {
    watched.begin(stack);
    control.prepare(stack.bottom(), stack.bytes(), &entry);
  }
  ~state() { watched.end(); }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  static void entry();
  void enter() {
    starting = this;
    watched.before_enter();
    control.enter();
    watched.after_enter();
  }
  void leave() {
    watched.before_leave();
    control.leave();
    watched.after_leave();
  }
  void hand_over(state& to) {
    watched.before_hand_over(to.watched);
    control.hand_over(to.control);
    watched.after_leave();
  }

  fiber_stack stack;
  stack_switch control;
  watched_switch watched;
  std::function<void()> main;
  /// Whom entry() works for.
  static thread_local state* starting;
};

thread_local fiber::state* fiber::state::starting = nullptr;

void fiber::state::entry() {
  state* mine = starting;
  mine->watched.after_leave();
  for (;;) {
    mine->main();
    mine->leave();
  }
}

fiber::fiber(std::function<void()> main, std::size_t stack_bytes)
    : state_(std::make_unique<state>(std::move(main), stack_bytes)) {}
fiber::~fiber() = default;
void fiber::resume() {
  state_->enter();
}
void fiber::suspend() {
  state_->leave();
}
void fiber::hand_over(fiber& to) {
  state_->hand_over(*to.state_);
}

} // namespace tacit::vocabulary
