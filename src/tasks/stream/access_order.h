// Who has to come before whom, by what they read and write: true, anti and output dependencies by exact regions.
//
// Per buffer and region the last writer and its readers since. A reader comes after the writer; a writer comes after the readers,
// or after the writer before it if nobody read. The same rule orders the tasks of a stream and the commands of a rank. What is
// older than `forgotten` stands for it: that is how horizons bound what has to be remembered, without a visit to every entry.
#pragma once

#include "tasks/space/by_buffer.h"
#include "tasks/space/region_map.h"

#include <vector>

namespace tacit::tasks {

template <typename Id>
class access_order {
public:
  /// Who has written an element last, and who has read it since.
  struct state {
    Id writer{};
    std::vector<Id> readers;
    friend bool operator==(const state&, const state&) = default;
  };
  using known = region_map<state>;

  /// The buffers come in the order of their numbers; `first` is who wrote them in the beginning.
  void add_buffer(const range& extent, Id first) { buffers_.add({box_of(extent), state{first, {}}}); }
  /// Nobody reads or writes it any more.
  void drop_buffer(buffer_id buffer) { buffers_.drop(buffer); }

  void read(buffer_id buffer, const region& where, Id who, std::vector<Id>& after) {
    for (const box& b : where.boxes())
      buffers_[buffer].update(b, [&](state& s) {
        add(after, s.writer, who);
        add_reader(s, who);
      });
  }

  void write(buffer_id buffer, const region& where, Id who, std::vector<Id>& after) {
    for (const box& b : where.boxes()) {
      buffers_[buffer].query(b, [&](const box&, const state& s) {
        if (s.readers.empty()) // readers came after the writer
          add(after, s.writer, who);
        for (const Id reader : s.readers)
          add(after, reader, who);
      });
      buffers_[buffer].assign(b, state{who, {}});
    }
  }

  /// From now on `horizon` stands for itself and everybody before it.
  void forget_before(Id horizon) {
    forgotten_ = horizon;
    buffers_.visit_all([&](region_map<state>& buffer) {
      if (buffer.entries().size() > many)
        buffer.update_all([&](state& s) { shorten(s); });
    });
  }

  /// Who stands for it now: itself, or the horizon after it.
  Id stands_for(Id id) const { return std::max(id, forgotten_); }
  Id forgotten() const { return forgotten_; }

  const known& of(buffer_id buffer) const { return buffers_[buffer]; }
  known& of(buffer_id buffer) { return buffers_[buffer]; }

private:
  static constexpr std::size_t many =
      8; ///< entries of a buffer from which on joining those that became equal pays

  void add(std::vector<Id>& after, Id id, Id who) const {
    if (id != who)
      after.push_back(stands_for(id));
  }
  void shorten(state& s) const {
    s.writer = stands_for(s.writer);
    for (Id& id : s.readers)
      id = stands_for(id);
    s.readers.erase(std::ranges::unique(s.readers).begin(), s.readers.end());
    // A later reader need not come after the horizon, which stands for earlier ones: it has to stay beside it.
    if (s.readers.size() == 1 && s.readers[0] == s.writer)
      s.readers.clear();
  }
  void add_reader(state& s, Id who) const {
    if (!s.readers.empty() && s.readers.back() == who)
      return;
    if (!s.readers.empty() &&
        s.readers.front() <= forgotten_) // whether it is that horizon makes no difference
      shorten(s);
    s.readers.push_back(who);
  }

  by_buffer<region_map<state>> buffers_;
  Id forgotten_{};
};

/// Sorted, each once.
template <typename Id>
void tidy(std::vector<Id>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
}

} // namespace tacit::tasks
