// A stage for recordings: p ranks in one process that run a scripted MPI program on real bytes, and the
// recordings that it leaves. Shares no code with the recorder. Calls happen in the order of the script; a
// receive takes the oldest fitting message. Forwarding is observed bytewise: a sent byte counts as forwarded
// if it was received at this address and not been received over or written (`compute`) with another value
// since.
#pragma once

#include "recordings/record/format.h"
#include "recordings/record/reader.h"
#include "vocabulary/calls/mpi_calls.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacit::recording::testing {

using namespace recordings;

class scene {
public:
  static constexpr std::uint64_t memory_bytes = 1 << 16;
  static constexpr std::uint64_t memory_base = 0x100000;
  static constexpr std::uint32_t world_comm = 1;

  explicit scene(std::uint32_t ranks, bool hashing = true) : hashing_(hashing) {
    std::mt19937 random(7);
    for (std::uint32_t r = 0; r < ranks; ++r) {
      actors_.emplace_back();
      actor& a = actors_.back();
      for (std::uint64_t i = 0; i < memory_bytes; ++i)
        a.memory.push_back(static_cast<unsigned char>(random()));
      a.owner.resize(memory_bytes);
      start(r, ranks);
    }
    std::vector<std::uint32_t> all;
    for (std::uint32_t r = 0; r < ranks; ++r)
      all.push_back(r);
    communicator(world_comm, 1, all);
  }

  /// Makes a communicator with a local id, the same on all members.
  std::uint32_t communicator(std::uint32_t id, std::uint64_t key, const std::vector<std::uint32_t>& members) {
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      communicator_record r{};
      r.header.kind = static_cast<std::uint16_t>(record_kind::communicator);
      r.id = id;
      r.key = key;
      r.rank = i;
      r.size = static_cast<std::uint32_t>(members.size());
      append(members[i], r, members.data(), members.size() * 4);
    }
    members_[id] = members;
    return id;
  }

  /// The same for one between two groups. Positions in it mean nothing.
  std::uint32_t intercommunicator(std::uint32_t id, std::uint64_t key, const std::vector<std::uint32_t>& one,
                                  const std::vector<std::uint32_t>& other) {
    members_[id] = one;
    members_[id].insert(members_[id].end(), other.begin(), other.end());
    for (const auto& group : {one, other})
      for (std::uint32_t i = 0; i < group.size(); ++i) {
        communicator_record r{};
        r.header.kind = static_cast<std::uint16_t>(record_kind::communicator);
        r.id = id;
        r.key = key;
        r.rank = i;
        r.size = static_cast<std::uint32_t>(group.size());
        r.inter = 1;
        append(group[i], r, group.data(), group.size() * 4);
      }
    return id;
  }

  // Options of the next calls.
  std::uint32_t site = 1;
  std::vector<std::uint32_t> callers; ///< sites around it
  std::uint32_t comm = world_comm;
  std::int32_t tag = 0;

  /// Ranks are world ranks everywhere.
  void send(std::uint32_t rank, std::uint32_t to, std::uint64_t address, std::uint64_t bytes,
            std::string_view call = "Send") {
    post_send(rank, to, address, bytes, call, 0);
  }
  void recv(std::uint32_t rank, std::uint32_t from, std::uint64_t address, std::uint64_t bytes,
            bool any = false) {
    write_call(rank, "Recv", 1, any ? peer_any : position(from), address, bytes, {});
    complete_receive(rank, from, address, bytes, 0, any);
  }
  void sendrecv(std::uint32_t rank, std::uint32_t to, std::uint64_t from_address, std::uint32_t from,
                std::uint64_t to_address, std::uint64_t bytes) {
    sendrecv_begin(rank, to, from_address, bytes);
    sendrecv_end(rank, from, to_address, bytes);
  }
  /// The two halves of a Sendrecv, so that scripts can interleave ranks; nothing else of the rank may come in
  /// between.
  void sendrecv_begin(std::uint32_t rank, std::uint32_t to, std::uint64_t address, std::uint64_t bytes) {
    same_begin_ = false;
    post_send(rank, to, address, bytes, "Sendrecv", 0);
  }
  void sendrecv_end(std::uint32_t rank, std::uint32_t from, std::uint64_t address, std::uint64_t bytes) {
    same_begin_ = true;
    write_call(rank, "Sendrecv", 1, position(from), address, bytes, {});
    same_begin_ = false;
    complete_receive(rank, from, address, bytes, 0, false);
  }
  std::uint64_t isend(std::uint32_t rank, std::uint32_t to, std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t request = ++next_request_;
    post_send(rank, to, address, bytes, "Isend", request);
    pending_[{rank, request}] = {};
    return request;
  }
  std::uint64_t irecv(std::uint32_t rank, std::uint32_t from, std::uint64_t address, std::uint64_t bytes,
                      bool any = false) {
    const std::uint64_t request = ++next_request_;
    write_call(rank, "Irecv", 0, any ? peer_any : position(from), address, bytes, {request});
    pending_[{rank, request}] = {true, any, from, address, bytes, comm, tag};
    return request;
  }
  void waitall(std::uint32_t rank, const std::vector<std::uint64_t>& requests) {
    write_plain(rank, "Waitall", requests);
    for (const std::uint64_t request : requests) {
      const pending p = pending_.at({rank, request});
      if (p.receives) {
        const std::uint32_t comm_now = std::exchange(comm, p.comm);
        const std::int32_t tag_now = std::exchange(tag, p.tag);
        complete_receive(rank, p.from, p.address, p.bytes, request, p.any);
        comm = comm_now;
        tag = tag_now;
      } else {
        completion_record r{};
        r.header.kind = static_cast<std::uint16_t>(record_kind::completion);
        r.request = request;
        r.source = peer_none;
        r.tick = ++tick_;
        append(rank, r);
        ++actors_[rank].completions;
      }
    }
  }
  /// A persistent collective of this rank; the request that `start_collective` starts.
  std::uint64_t collective_init(std::uint32_t rank, std::string_view call, std::uint64_t address,
                                std::uint64_t bytes) {
    const std::uint64_t request = ++next_request_;
    write_call(rank, call, 0, peer_none, address, bytes, {request});
    return request;
  }
  /// One of its operations, for `waitall`.
  std::uint64_t start_collective(std::uint32_t rank, std::uint64_t request) {
    const std::uint64_t operation = ++next_request_;
    write_call(rank, "Start", 0, peer_none, 0, 0, {operation, request});
    pending_[{rank, operation}] = {};
    return operation;
  }
  void cancel(std::uint32_t rank, std::uint64_t request) {
    write_plain(rank, "Cancel", {request});
    write_plain(rank, "Wait", {request});
    completion_record r{};
    r.header.kind = static_cast<std::uint16_t>(record_kind::completion);
    r.header.flags = completion_cancelled;
    r.request = request;
    r.source = peer_none;
    r.tick = ++tick_;
    append(rank, r);
    ++actors_[rank].completions;
  }
  void iprobe(std::uint32_t rank, std::uint32_t from) {
    write_call(rank, "Iprobe", 0, position(from), 0, 0, {});
  }
  /// One that finds a message.
  void found(std::uint32_t rank, std::uint32_t from) {
    write_call(rank, "Iprobe", 0, position(from), 0, 0, {}, call_flag_true);
  }
  /// A question whose answer is that a request is complete (0: one of several, which are not recorded).
  void told(std::uint32_t rank, std::string_view call, std::uint64_t request) {
    write_call(rank, call, 0, peer_none, 0, 0, {request}, call_flag_true);
  }
  void unmodelled(std::uint32_t rank, std::string_view call) {
    write_call(rank, call, 0, peer_none, 0, 0, {}, call_unknown);
  }
  /// One of this rank, which is the root on an intercommunicator.
  void root_of(std::uint32_t rank, std::string_view call, std::uint64_t address, std::uint64_t bytes) {
    write_call(rank, call, 0, peer_root, address, bytes, {});
  }
  void barrier() {
    for (std::uint32_t r = 0; r < actors_.size(); ++r)
      write_call(r, "Barrier", 0, peer_none, 0, 0, {});
  }
  /// Local computation: new content.
  void compute(std::uint32_t rank, std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes; ++i) {
      actors_[rank].memory[address + i] =
          static_cast<unsigned char>(actors_[rank].memory[address + i] * 5 + 3 + i % 7);
      actors_[rank].owner[address + i] = {};
    }
  }
  void fill(std::uint32_t rank, std::uint64_t address, std::uint64_t bytes, unsigned char value) {
    for (std::uint64_t i = 0; i < bytes; ++i) {
      actors_[rank].memory[address + i] = value;
      actors_[rank].owner[address + i] = {};
    }
  }

  void finish() {
    for (std::uint32_t r = 0; r < actors_.size(); ++r) {
      finish_record f{};
      f.header.kind = static_cast<std::uint16_t>(record_kind::finish);
      f.tick = ++tick_;
      append(r, f);
    }
  }
  const std::vector<std::byte>& file(std::uint32_t rank) const { return actors_[rank].file; }
  std::vector<std::byte>& file(std::uint32_t rank) { return actors_[rank].file; }

  recording_set recorded(diagnostics& problems) const {
    std::vector<rank_recording> all;
    for (std::uint32_t r = 0; r < actors_.size(); ++r)
      if (auto one = read_rank(actors_[r].file, "rank " + std::to_string(r), problems))
        all.push_back(std::move(*one));
    return join_ranks(std::move(all), problems);
  }

private:
  struct origin {
    std::uint64_t receive = ~0ull, offset = 0;
  };
  struct actor {
    std::vector<std::byte> file;
    std::vector<unsigned char> memory;
    std::vector<origin> owner; ///< per byte: which receive brought it
    std::uint64_t completions = 0;
    std::map<std::uint32_t, bool> sites;
    std::map<std::vector<std::uint32_t>, std::uint32_t> paths;
  };
  struct pending {
    bool receives = false, any = false;
    std::uint32_t from = 0;
    std::uint64_t address = 0, bytes = 0;
    std::uint32_t comm = 0;
    std::int32_t tag = 0;
  };
  struct in_flight {
    std::uint32_t comm, from, to;
    std::int32_t tag;
    std::vector<unsigned char> content;
  };

  template <typename Record>
  void append(std::uint32_t rank, Record record, const void* rest = nullptr, std::size_t bytes = 0) {
    const std::size_t all = (sizeof(Record) + bytes + 7) & ~std::size_t{7};
    record.header.bytes = static_cast<std::uint32_t>(all);
    std::vector<std::byte>& file = actors_[rank].file;
    const std::size_t at = file.size();
    file.resize(at + all);
    std::memcpy(file.data() + at, &record, sizeof(Record));
    if (bytes != 0)
      std::memcpy(file.data() + at + sizeof(Record), rest, bytes);
  }

  void start(std::uint32_t rank, std::uint32_t ranks) {
    run_start s{};
    s.header.kind = static_cast<std::uint16_t>(record_kind::start);
    std::memcpy(s.magic, magic, sizeof magic);
    s.version = format_version;
    s.rank = rank;
    s.size = ranks;
    s.hashing = hashing_ ? 1 : 0;
    s.seconds_per_tick = 1e-6;
    s.program_bytes = 4;
    append(rank, s, "prog", 4);
    module_record m{};
    m.header.kind = static_cast<std::uint16_t>(record_kind::module);
    m.id = 1;
    m.path_bytes = 9;
    append(rank, m, "/bin/prog", 9);
    allocation_record a{};
    a.header.kind = static_cast<std::uint16_t>(record_kind::allocation);
    a.id = 1;
    a.kind = memory_kind::heap;
    a.base = memory_base;
    a.bytes = memory_bytes;
    append(rank, a);
    layout_record l{};
    l.header.kind = static_cast<std::uint16_t>(record_kind::layout);
    l.id = 1;
    l.segments = 1;
    l.size = 1;
    l.extent = 1;
    const std::uint64_t byte[2] = {0, 1};
    append(rank, l, byte, sizeof byte);
  }

  static std::uint64_t hash(const unsigned char* bytes, std::uint64_t count) {
    std::uint64_t h = 14695981039346656037ull;
    for (std::uint64_t i = 0; i < count; ++i)
      h = (h ^ bytes[i]) * 1099511628211ull;
    return h;
  }

  std::int32_t position(std::uint32_t rank) const {
    const auto& members = members_.at(comm);
    for (std::size_t i = 0; i < members.size(); ++i)
      if (members[i] == rank)
        return static_cast<std::int32_t>(i);
    return peer_none;
  }

  void write_call(std::uint32_t rank, std::string_view name, std::uint16_t part, std::int32_t peer,
                  std::uint64_t address, std::uint64_t bytes, const std::vector<std::uint64_t>& requests,
                  std::uint16_t flags = 0, std::uint64_t content = 0) {
    const std::uint32_t where = path_of(rank);
    call_record c{};
    c.header.kind = static_cast<std::uint16_t>(record_kind::call);
    c.header.flags = flags;
    c.call = static_cast<std::uint16_t>(find_call(name)->id);
    c.part = part;
    c.site = where;
    if (!same_begin_)
      last_begin_[rank] = ++tick_;
    c.begin = last_begin_[rank];
    c.end = c.begin + 10;
    c.comm = comm;
    c.peer = peer;
    c.tag = tag;
    c.layout = 1;
    c.count = bytes;
    c.allocation = 1;
    c.requests = static_cast<std::uint32_t>(requests.size());
    c.offset = static_cast<std::int64_t>(address);
    c.hash = content;
    append(rank, c, requests.data(), requests.size() * 8);
  }

  void define_site(std::uint32_t rank, std::uint32_t id) {
    if (std::exchange(actors_[rank].sites[id], true))
      return;
    site_record s{};
    s.header.kind = static_cast<std::uint16_t>(record_kind::site);
    s.id = id;
    s.module = 1;
    s.offset = 0x1000 + 16 * id;
    append(rank, s);
  }

  /// The site, or the path that it and its callers are.
  std::uint32_t path_of(std::uint32_t rank) {
    std::vector<std::uint32_t> frames{site};
    frames.insert(frames.end(), callers.begin(), callers.end());
    for (const std::uint32_t frame : frames)
      define_site(rank, frame);
    if (callers.empty())
      return site;
    std::map<std::vector<std::uint32_t>, std::uint32_t>& known = actors_[rank].paths;
    const auto [at, is_new] = known.try_emplace(frames, 1000 + static_cast<std::uint32_t>(known.size()));
    if (is_new) {
      path_record p{};
      p.header.kind = static_cast<std::uint16_t>(record_kind::path);
      p.id = at->second;
      p.frames = static_cast<std::uint32_t>(frames.size());
      append(rank, p, frames.data(), frames.size() * 4);
    }
    return at->second;
  }

  void write_plain(std::uint32_t rank, std::string_view name, const std::vector<std::uint64_t>& requests) {
    write_call(rank, name, 0, peer_none, 0, 0, requests);
  }

  void post_send(std::uint32_t rank, std::uint32_t to, std::uint64_t address, std::uint64_t bytes,
                 std::string_view call, std::uint64_t request) {
    actor& a = actors_[rank];
    std::vector<std::uint64_t> requests;
    if (request != 0)
      requests.push_back(request);
    write_call(rank, call, 0, position(to), address, bytes, requests, hashing_ ? call_hash_valid : 0,
               hash(a.memory.data() + address, bytes));
    for (std::uint64_t i = 0; hashing_ && i < bytes;) {
      const origin o = a.owner[address + i];
      std::uint64_t end = i + 1;
      while (end < bytes && a.owner[address + end].receive == o.receive &&
             a.owner[address + end].offset == o.offset + (end - i))
        ++end;
      if (o.receive != ~0ull) {
        forward_record f{};
        f.header.kind = static_cast<std::uint16_t>(record_kind::forward);
        f.receive = o.receive;
        f.receive_offset = o.offset;
        f.send_offset = i;
        f.length = end - i;
        append(rank, f);
      }
      i = end;
    }
    messages_.push_back({comm,
                         rank,
                         to,
                         tag,
                         {a.memory.begin() + static_cast<std::ptrdiff_t>(address),
                          a.memory.begin() + static_cast<std::ptrdiff_t>(address + bytes)}});
  }

  void complete_receive(std::uint32_t rank, std::uint32_t from, std::uint64_t address, std::uint64_t bytes,
                        std::uint64_t request, bool any) {
    for (auto m = messages_.begin(); m != messages_.end(); ++m) {
      if (m->comm != comm || m->from != from || m->to != rank || m->tag != tag)
        continue;
      actor& a = actors_[rank];
      completion_record r{};
      r.header.kind = static_cast<std::uint16_t>(record_kind::completion);
      r.header.flags = static_cast<std::uint16_t>((hashing_ ? completion_hash_valid : 0) |
                                                  (any ? completion_any_source : 0));
      r.request = request;
      r.source = position(from);
      r.tag = tag;
      r.bytes = std::min<std::uint64_t>(bytes, m->content.size());
      r.hash = hash(m->content.data(), r.bytes);
      r.tick = ++tick_;
      append(rank, r);
      for (std::uint64_t i = 0; i < r.bytes; ++i) {
        a.memory[address + i] = m->content[i];
        a.owner[address + i] = {a.completions, i};
      }
      ++a.completions;
      messages_.erase(m);
      return;
    }
    throw std::logic_error("the script receives what was not sent");
  }

  bool hashing_;
  bool same_begin_ = false;
  std::uint64_t tick_ = 100;
  std::uint64_t next_request_ = 0;
  std::deque<actor> actors_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> members_;
  std::map<std::uint32_t, std::uint64_t> last_begin_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, pending> pending_;
  std::deque<in_flight> messages_;
};

} // namespace tacit::recording::testing
