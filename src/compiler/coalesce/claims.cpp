#include "compiler/coalesce/claims.h"

#include "compiler/hooks/settings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <pthread.h>
#include <tacit/coalesce.h>

namespace tacit::compiler {
namespace {

bool by_compiler = false;

/// One of the two places of a finding that was said.
class kept_place {
public:
  void keep(const place_found& p) {
    kind_ = p.kind;
    line_ = p.line;
    std::snprintf(file_, sizeof file_, "%s", end_of(p.file));
  }
  bool is(const place_found& p) const {
    return std::strcmp(kind_, p.kind) == 0 && line_ == p.line && std::strcmp(file_, end_of(p.file)) == 0;
  }

private:
  static constexpr std::size_t room = 120;
  static const char* end_of(const char* file) {
    const char* const name = file ? file : "?";
    const std::size_t length = std::strlen(name);
    return name + (length < room ? 0 : length - room + 1);
  }

  const char* kind_ = "";
  int line_ = 0;
  char file_[room] = "";
};

struct finding {
  kept_place at, other;
  int times = 0;
};

} // namespace

void claims::note(int target, MPI_Aint from, MPI_Aint to) {
  budget memory = unlimited(); // against the region's limit it would change what is collected
  if (!ranges_.make_room(memory, 1)) {
    lost_ = true;
    return;
  }
  ranges_.push({from, to, target});
}

void claims::verify(int target, const char* file, int line) {
  std::sort(ranges_.data, ranges_.data + ranges_.size, [](const touched_range& a, const touched_range& b) {
    return a.target != b.target ? a.target < b.target : a.from < b.from;
  });
  for (std::size_t i = 1; i < ranges_.size; ++i) {
    const touched_range& a = ranges_.data[i - 1];
    touched_range& b = ranges_.data[i];
    if (a.target == b.target && b.from < a.to && (target == TACIT_ALL_TARGETS || target == a.target)) {
      if (is_worth_saying({"twice", file, line}))
        std::fprintf(
            stderr,
            "tacit: rank %d: %s:%d: operations of this region touch bytes %lld to %lld of the window "
            "of process %d "
            "twice in one epoch, but the pragma says no_overlap [TACIT-150]\n",
            world_rank(), file ? file : "?", line, static_cast<long long>(b.from),
            static_cast<long long>(std::min(a.to, b.to)), b.target);
      break;
    }
    if (a.target == b.target)
      b.to = std::max(a.to, b.to);
  }
  if (lost_)
    std::fprintf(stderr, "tacit: rank %d: %s:%d: not all operations could be checked for lack of memory\n",
                 world_rank(), file ? file : "?", line);
  const touched_range* const kept =
      std::remove_if(ranges_.data, ranges_.data + ranges_.size, [&](const touched_range& a) {
        return target == TACIT_ALL_TARGETS || target == a.target;
      });
  ranges_.size = static_cast<std::size_t>(kept - ranges_.data);
  lost_ = false;
}

void claims::release() {
  budget memory = unlimited();
  ranges_.release(memory);
}

bool (*units_differ)(MPI_Win win) = nullptr;
copy_observer told_of_copies = nullptr;
bool sees_synchronizations = false;

bool checks_claims() {
  const char* const said = std::getenv("TACIT_COALESCE_CHECK");
  if (by_compiler && (!said || std::strcmp(said, "0") != 0))
    return true;
  return tacit_switch_setting("TACIT_COALESCE_CHECK") || tacit_switch_setting("TACIT_CHECK");
}

void compiled_to_check() {
  by_compiler = true;
}

void say_what_is_seen() {
  static bool said = false;
  if (!sees_synchronizations && !__atomic_exchange_n(&said, true, __ATOMIC_RELAXED) && world_rank() == 0)
    std::fputs("tacit: this program was not compiled by tacit cc --annotations=check: no_overlap is checked "
               "among the operations of one process between its calls that may synchronize\n",
               stderr);
}

claim& current_claim() {
  static thread_local claim current;
  return current;
}

claim& claim_of_fence() {
  static thread_local claim next;
  return next;
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

bool is_worth_saying(const place_found& at, const place_found& other) {
  constexpr int most_times = 3;
  static finding found[128]; // of more, everything is said
  static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&guard);
  finding* const same = std::find_if(std::begin(found), std::end(found), [&](const finding& f) {
    return f.times == 0 || (f.at.is(at) && f.other.is(other));
  });
  int times = 0;
  if (same != std::end(found)) {
    if (same->times == 0) {
      same->at.keep(at);
      same->other.keep(other);
    }
    times = same->times < most_times ? same->times++ : most_times;
  }
  pthread_mutex_unlock(&guard);
  if (times == most_times - 1)
    std::fprintf(stderr, "tacit: rank %d: what follows is found for the third time, and is not said again\n",
                 world_rank());
  return times < most_times;
}

} // namespace tacit::compiler
