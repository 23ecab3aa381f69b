// Driver `p2p`: point-to-point messages only. Collectives of the plan become messages straight from origin to
// destination. Plans of independent messages run from flat arrays (flat_run.h), others as actions that post
// their messages in each run. Runs wherever MPI runs, and is the yardstick for the others.
#include "runtime/run/builtin_drivers.h"
#include "runtime/run/flat_run.h"
#include "runtime/run/lower.h"

namespace tacit::runtime {
namespace {

class p2p_lowering : public lowering {
public:
  p2p_lowering(const program& p, MPI_Comm comm) : lowering(p, comm) {}

private:
  action_span collective(const graphs::step& s) override { return direct(s); }
};

class p2p_driver : public driver {
public:
  std::string_view name() const override { return "p2p"; }
  std::string can_run(const program& p, MPI_Comm comm) const override {
    if (p.unattended && !(p.exact_sizes && is_flat(p.plan))) // else all messages are posted when a run starts
      return "its steps depend on each other, so that other ranks would wait for this one's attention "
             "(TACIT_PROGRESS=waits allows that)";
    return tags_fit(p, comm);
  }
  std::unique_ptr<execution> prepare(program p, MPI_Comm comm, connection*) const override {
    if (p.exact_sizes && is_flat(p.plan))
      return std::make_unique<flat_run>(p.plan, comm, p.in_device);
    return std::make_unique<action_run>(p2p_lowering(p, comm).run());
  }
};

} // namespace

const driver& p2p() {
  static const p2p_driver instance;
  return instance;
}

} // namespace tacit::runtime
