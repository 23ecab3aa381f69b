#include "runtime/run/message_survey.h"

#include "runtime/run/lower.h"

#include <algorithm>

namespace tacit::runtime {
namespace {

/// Lowers a program only to see its messages.
class surveying : public lowering {
public:
  using lowering::lowering;
  message_survey found;

private:
  action_span collective(const graphs::step& s) override { return direct(s); }
  action_span send(const std::vector<graphs::segment>& bytes, int to, int tag) override {
    found.out[to].push_back({tag, graphs::total_length(bytes)});
    return nothing();
  }
  action_span recv(const std::vector<graphs::segment>& bytes, int from, int tag) override {
    found.in[from].push_back({tag, graphs::total_length(bytes)});
    return nothing();
  }
  action_span nothing() {
    const action_id id = actions_.add_local([] {});
    return {{id}, {id}};
  }
};

void sort_by_tag(std::map<int, std::vector<planned_message>>& by_peer) {
  for (auto& [peer, list] : by_peer)
    std::stable_sort(list.begin(), list.end(),
                     [](const planned_message& a, const planned_message& b) { return a.tag < b.tag; });
}

} // namespace

message_survey survey_messages(const program& p, MPI_Comm comm) {
  surveying lowered(p, comm);
  lowered.run();
  sort_by_tag(lowered.found.out);
  sort_by_tag(lowered.found.in);
  return std::move(lowered.found);
}

} // namespace tacit::runtime
