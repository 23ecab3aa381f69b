// How one message of a plan travels through shared memory, run after run: the state machines of both sides.
//
// Problem. Source and destination share memory. In every run of a plan the source hands over one message of
// the same size, the destination takes it; neither may block, both may run ahead, and a small message should
// cost little more than the transfer of one cache line.
//
// Idea. A message is cut into `pieces` (mostly one). A channel has `slots`; piece number q (from 0, counted
// over all runs) goes through slot q mod slots. The source copies the payload straight from the user's
// segments into the slot and then stores q + 1 into the slot's flag (release); the destination waits until it
// loads q + 1 (acquire) and copies straight into the user's segments. The flag is in the last 8 bytes of the
// slot, so that 56 B of payload and flag share one cache line (the "canary" of seed 004), and the destination
// watches only that line. Slots of a source that may run ahead share lines, too, if two and more fit.
//
// Flow control: piece q may be written when piece q - slots has been consumed. The source knows
//   counted     what the destination has stored into the channel's acknowledgement (release) after it
//               consumed a piece, as loaded (acquire) here; or, without any acknowledgement,
//   reciprocal  that all pieces of the messages before the last one have been consumed, if the destination
//               also sends the source a channel message in every run.
// Proof of the second rule. Call the sides A and B; a rank starts run i after it has completed run i - 1, and
// a run is complete when all its messages have been handed over and consumed at this rank. Let A start run i.
// A has completed run i - 1, so it has acquired a flag of B's message of run i - 1. B released it after it
// had started run i - 1, hence after B had completed run i - 2, in which it consumed A's messages up to
// number i - 2. Release and acquire put those reads before A's start of run i. With two slots per piece A
// never waits. One slot is not enough: B may still be reading A's message i - 1 while A writes message i.
//
// Large messages may go `direct`: the destination reads the source's memory itself (direct_read.h), one copy
// instead of two. The source offers message n with the addresses of its bytes (release); the destination,
// when it has acquired the offer, reads and answers n (release); the source's message is handed over when it
// has acquired that answer. So all reads happen before the source's run is complete and its program may
// write the buffer again, and the next offer is written after all reads of the last one: no second slot, no
// counting. Either side may refuse, and the message is copied as above. The source refuses one message, by
// what it offers; it does not wait for an answer then, so its next offer may come before the destination has
// seen the refusal: a newer offer means that the older one was refused, because one that was not would still
// be waiting for its answer. The destination refuses by what it answers (permission may be taken away in any
// run), and that is for good: both know it and offer no more. Pieces are counted over copied messages only,
// by both sides alike; what the rule of reciprocal channels says of all messages before the last one holds
// for those that were copied.
//
// Or a message is `placed`: the source writes it into the destination's own memory, if that is shared (one
// copy; the static regions with ready-to-receive of seed 004). The destination tells with the number of the
// message that it is ready (release) when its run starts; the source, when it has acquired that number,
// writes and stores it in turn (release). So all of the program's reads of the last message come before the
// writes, and these before its reads of this one. The source may copy a message through the slots instead,
// without waiting; whoever expects message n then finds a piece. It may be a piece of message n + 1, of a
// source that has placed n and gone on; but then the word for n is visible, too, and is looked at again. The
// word cannot be beyond n, as nothing is placed before the destination is ready for it.
//
// Termination: a poll that finds neither a new flag nor a new acknowledgement returns. Messages are consumed
// in order, the oldest one never waits for a later one, so some side can always go on. Deadlock freedom and
// the absence of data races are checked on this very code over all interleavings and all reorderings that
// release and acquire allow (tests/runtime/channel/test_interleavings.cpp); therefore memory is behind a port.
// A direct or placed message waits for its destination's run, as a message does that is longer than the slots
// and as MPI's synchronous sends do; plans may not rely on buffering. Cost per message: one copy in, one copy
// out, one cache line per 64 B each way and none for flow control under the second rule. Seed 004 section 5;
// Gropp, Thakur 2005 on neighbors; MPI-4.1 chapter 8.
#pragma once

#include <cstdint>
#include <utility>

namespace tacit::runtime {

struct channel_shape {
  std::uint64_t bytes = 0;       ///< of one message
  std::uint64_t piece_bytes = 0; ///< payload of one slot
  std::uint32_t pieces = 1;      ///< of one message; at least 1, also of an empty one
  std::uint32_t slots = 2;
  std::uint32_t stride = 64; ///< bytes from slot to slot: 8, 16 or 32, or a multiple of the cache line
  bool reciprocal = false;   ///< there is also a channel the other way, used in every run
  bool counted = false;      ///< the destination acknowledges
  bool direct = false;       ///< the destination may read the source's memory instead
  bool placed = false;       ///< the source may write the destination's memory instead; never with `direct`
};

/// What offers and answers store: the message, and whether this side refuses to go on directly.
constexpr std::uint64_t direct_word(std::uint64_t message, bool refused) {
  return 2 * message + (refused ? 1 : 0);
}
constexpr std::uint64_t message_of(std::uint64_t word) {
  return word / 2;
}
constexpr bool is_refused(std::uint64_t word) {
  return word % 2 != 0;
}

/// The shape that both sides derive from the same facts. Without `canary` the flag of a slot is in a cache
/// line of its own, as a plain flag would be; rings have it there anyway. `unattended`: the ends go on while
/// the other one is elsewhere, for longer messages, too. `crowded`: there are more ranks than cores, so a source that gets nothing back
/// finds room for many messages before its destination has the core.
channel_shape shape_for(std::uint64_t bytes, bool reciprocal, bool canary = true, bool unattended = false,
                        bool crowded = false);

/// The longest message of an unattended reciprocal channel that needs no acknowledgement.
std::uint64_t longest_without_acknowledgement();

/// Ports through which memory can be read directly; others ignore that a shape allows it.
template <typename Port>
concept offers_memory = requires(Port& p) { p.answered(); };
template <typename Port>
concept reads_memory = requires(Port& p) { p.pull(); };
template <typename Port>
concept places_messages = requires(Port& p) { p.place(); };
template <typename Port>
concept has_places = requires(Port& p) { p.placed(); };

/// Port: `acknowledged()` loads the acknowledgement (acquire); `fill(slot, piece)` writes the payload of a
/// piece of the message; `publish(slot, number)` stores its flag (release); `claim(slot)` hints that the slot
/// will be written soon. Direct: `offer(message)` writes addresses, then the word (release), and returns
/// false if it has offered a refusal; `answered()` loads the answer (acquire). Placed: `places()` decides for
/// the next message, `ready()` loads for which one the destination is ready (acquire), `place()` writes its
/// memory, `publish_placed(message)` says so (release).
template <typename Port>
class channel_source {
public:
  channel_source(const channel_shape& shape, Port port_)
      : port(std::move(port_)), shape_(shape), allowed_(shape.direct && offers_memory<Port>) {}

  /// Hands over the next message; the last one must have been handed over. True when that is done.
  bool post() {
    if constexpr (offers_memory<Port>) {
      if (allowed_)
        waiting_ = port.offer(++offered_);
      direct_ = waiting_;
      if (waiting_)
        return false; // nobody can have answered
    }
    if constexpr (places_messages<Port>)
      if (shape_.placed) {
        ++offered_;
        waiting_ = direct_ = port.places();
        if (waiting_)
          return poll_ready();
      }
    return post_copies();
  }
  /// Goes on; true when all has been handed over.
  bool poll() {
    if constexpr (places_messages<Port>)
      if (waiting_ && shape_.placed)
        return poll_ready();
    if constexpr (offers_memory<Port>)
      if (waiting_)
        return poll_answer();
    return poll_copies();
  }
  /// Between two runs: makes the next post cheaper.
  void claim_next() {
    if (!direct_)
      port.claim(slot_);
  }

  bool done() const { return !waiting_ && next_ == posted_; }
  /// The last message was read where it is, or placed, as far as this side knows.
  bool direct() const { return direct_; }
  /// The other side has not refused for good.
  bool allowed() const { return allowed_; }
  std::uint64_t next() const { return next_; }
  std::uint64_t posted() const { return posted_; }
  std::uint64_t consumed() const { return consumed_; }

  Port port;

private:
  bool poll_ready() {
    if (port.ready() < offered_)
      return false;
    port.place();
    port.publish_placed(offered_);
    waiting_ = false;
    return true;
  }
  bool poll_answer() {
    const std::uint64_t word = port.answered();
    if (message_of(word) != offered_)
      return false;
    waiting_ = false;
    allowed_ = direct_ = !is_refused(word);
    return direct_ || post_copies();
  }
  bool post_copies() {
    if (shape_.reciprocal && posted_ > consumed_ + shape_.pieces)
      consumed_ = posted_ - shape_.pieces;
    posted_ += shape_.pieces;
    return poll_copies();
  }
  bool poll_copies() {
    while (next_ != posted_) {
      if (next_ - consumed_ >= shape_.slots) {
        if (const std::uint64_t seen = port.acknowledged(); seen > consumed_)
          consumed_ = seen;
        if (next_ - consumed_ >= shape_.slots)
          return false;
      }
      port.fill(slot_, static_cast<std::uint32_t>(next_ + shape_.pieces - posted_));
      port.publish(slot_, ++next_);
      slot_ = slot_ + 1 == shape_.slots ? 0 : slot_ + 1;
    }
    return true;
  }

  channel_shape shape_;
  std::uint64_t next_ = 0;     ///< piece to hand over next
  std::uint64_t posted_ = 0;   ///< end of the pieces of the current message
  std::uint64_t consumed_ = 0; ///< pieces known to be consumed
  std::uint32_t slot_ = 0;     ///< next_ mod slots
  bool allowed_;               ///< to offer messages directly
  bool waiting_ = false;       ///< for an answer, or until the destination is ready
  bool direct_ = false;        ///< the last message
  std::uint64_t offered_ = 0;  ///< messages, also those refused at once
};

/// Port: `published(slot)` loads a flag (acquire); `drain(slot, piece)` reads the payload of a piece;
/// `acknowledge(number)` stores the acknowledgement (release). Direct: `offered()` loads the offer (acquire);
/// `pull()` reads the source's memory, false if it may not; `answer(word)` stores the answer (release).
/// Placed: `make_ready(message)` stores for which one there is room (release), `placed()` loads the last one
/// that is there (acquire).
template <typename Port>
class channel_destination {
public:
  channel_destination(const channel_shape& shape, Port port_)
      : port(std::move(port_)), shape_(shape), allowed_(shape.direct && reads_memory<Port>) {}

  /// Expects the next message; the last one must have been taken.
  void post() {
    if constexpr (has_places<Port>)
      if (shape_.placed) {
        port.make_ready(++expected_);
        waiting_ = true;
        return;
      }
    if (allowed_) {
      ++expected_;
      waiting_ = true;
    } else {
      posted_ += shape_.pieces;
    }
  }
  /// Takes what has arrived; true when the message is complete.
  bool poll() {
    if constexpr (has_places<Port>)
      if (waiting_ && shape_.placed && !poll_placed())
        return false;
    if constexpr (reads_memory<Port>)
      if (waiting_ && !poll_offer())
        return false;
    return poll_copies();
  }

  bool done() const { return !waiting_ && next_ == posted_; }
  bool direct() const { return direct_; }
  bool allowed() const { return allowed_; }
  std::uint64_t next() const { return next_; }
  std::uint64_t posted() const { return posted_; }

  Port port;

private:
  /// True when the message is there, or comes through the slots.
  bool poll_placed() {
    if (port.placed() < expected_ && port.published(slot_) != next_ + 1)
      return false;
    waiting_ = false;
    direct_ = port.placed() == expected_; // the piece may be of the next message
    if (!direct_)
      posted_ += shape_.pieces;
    return true;
  }
  /// True when the message has been read, or one side has refused.
  bool poll_offer() {
    const std::uint64_t word = port.offered();
    if (message_of(word) < expected_)
      return false;
    waiting_ = false;
    direct_ = message_of(word) == expected_ && !is_refused(word);
    if (direct_) {
      allowed_ = direct_ = port.pull();
      port.answer(direct_word(expected_, !direct_));
    }
    if (!direct_)
      posted_ += shape_.pieces;
    return true;
  }
  bool poll_copies() {
    while (next_ != posted_) {
      if (port.published(slot_) != next_ + 1)
        return false;
      port.drain(slot_, static_cast<std::uint32_t>(next_ + shape_.pieces - posted_));
      ++next_;
      if (shape_.counted)
        port.acknowledge(next_);
      slot_ = slot_ + 1 == shape_.slots ? 0 : slot_ + 1;
    }
    return true;
  }

  channel_shape shape_;
  std::uint64_t next_ = 0;     ///< piece to take next
  std::uint64_t posted_ = 0;   ///< end of the pieces of the current message
  std::uint32_t slot_ = 0;     ///< next_ mod slots
  bool allowed_;               ///< to read messages directly
  bool waiting_ = false;       ///< for an offer, or a placed message
  bool direct_ = false;        ///< the last message
  std::uint64_t expected_ = 0; ///< messages offered or placed, also those that were copied
};

} // namespace tacit::runtime
