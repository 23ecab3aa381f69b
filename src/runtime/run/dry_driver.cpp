// Driver `dry`: does nothing, at once. Neither messages nor local copies nor computations happen, so that the
// cost of everything around a schedule can be measured and its plan looked at (summarize) without touching
// any buffer. It comes last and is taken only when it is asked for by name: every other rank must use it too,
// which the C API sees to.
#include "runtime/run/builtin_drivers.h"

namespace tacit::runtime {
namespace {

class dry_execution : public execution {
public:
  void start() override {}
  bool progress() override { return true; }
  void finish() override {}
};

class dry_driver : public driver {
public:
  std::string_view name() const override { return "dry"; }
  bool automatic(const program&) const override { return false; }
  std::string can_run(const program&, MPI_Comm) const override { return {}; }
  std::unique_ptr<execution> prepare(program, MPI_Comm, connection*) const override {
    return std::make_unique<dry_execution>();
  }
};

} // namespace

const driver& dry() {
  static const dry_driver instance;
  return instance;
}

} // namespace tacit::runtime
