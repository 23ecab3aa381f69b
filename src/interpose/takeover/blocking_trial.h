// Who does a program's blocking neighborhood collectives: we, or the library, whoever is faster where they run.
//
// Problem. What we save is messages (one for all edges to a rank, none to oneself); what we add is some 0.15 us for looking
// up the plan of a call. So a call with few short messages is faster as the library does it, and where the line runs
// depends on the machine, the library and the sizes, of which a rank knows only its own.
//
// Idea. Blocking calls on a communicator come in the same order on all its ranks. So their number alone says who does them:
// after some calls that are ours, a trial hands blocks of calls to us and to the library in turn, each rank keeps the
// fastest block of either, and at the end the slowest ranks of both are compared, in a call that may wait for them. The
// faster one goes on until the next trial, which comes after eight times as many calls, as sizes may change. What is as
// fast either way is ours only if we save messages there: else we can only add to what the library does. It is kept per
// communicator and function. A program with few calls never gets there.
//
// What each costs is timed as it will be later: our calls with all that leads to them, the library's without, since calls that
// are the library's until the next trial need not be shown to us (layer/left_calls.h).
#pragma once

#include <cstdint>

namespace tacit::interpose {

class blocking_trial {
public:
  static constexpr std::uint64_t first_trial = 128; ///< calls before it
  static constexpr std::uint64_t block_calls = 16;
  static constexpr std::uint64_t blocks = 32; ///< of both together
  static constexpr std::uint64_t between = 8; ///< the next trial comes after so many times the calls

  /// What is to be done with a call; the same on all ranks.
  struct turn {
    bool by_library = false;
    bool timed = false;
    bool decides = false;     ///< the ranks compare `ours` and `library` first, and call `decide`
    std::uint64_t unseen = 0; ///< as many calls after it are the library's: nobody needs to ask
  };
  /// Of the calls that nobody needed to ask for, those that have not come: `left`, which becomes 0. How many have come.
  std::uint64_t settle(std::uint64_t& left);
  turn next();
  /// A timed call took so long on this rank.
  void add(std::uint64_t ticks);

  /// The fastest blocks of the trial on this rank.
  std::uint64_t ours() const { return fastest_[0]; }
  std::uint64_t library() const { return fastest_[1]; }
  /// The slowest ranks' values. What the turn said of the call is replaced by what is returned.
  turn decide(std::uint64_t ours, std::uint64_t library);
  /// Whether we send fewer messages than the library, on any rank; equal on all ranks. At the beginning: true.
  void saves_messages(bool saves) { saves_ = saves; }

private:
  turn settled();

  static constexpr std::uint64_t never =
      ~std::uint64_t{0} >> 2; ///< MPICH 4.0.2 compares larger ones as negative

  std::uint64_t calls_ = 0, trial_at_ = first_trial, unseen_ = 0;
  std::uint64_t block_ticks_ = 0, calls_in_block_ = 0;
  std::uint64_t fastest_[2] = {never, never};
  bool library_in_block_ = false, library_goes_on_ = false, saves_ = true;
};

} // namespace tacit::interpose
