#include "recordings/record/fold.h"

#include "vocabulary/base/hash.h"
#include "vocabulary/calls/mpi_calls.h"

#include <algorithm>
#include <cstring>

namespace tacit::recordings {

namespace {

constexpr std::size_t most_text = std::size_t{2} << 20; ///< bytes of shapes, above which they are forgotten
constexpr std::size_t most_raw_bytes = std::size_t{1} << 20; ///< of one folded record
constexpr std::uint32_t near_allocations = 8; ///< newer ones are named by their distance: loops allocate anew

// Marks of a shape: how its numbers are to be read.
constexpr unsigned same_times =
    1; ///< begin and end are those of the call before: the other half of a Sendrecv
constexpr unsigned allocation_is_near = 2; ///< the distance from the newest one
constexpr unsigned requests_as_they_are = 4;
constexpr unsigned count_is_new = 8;

template <typename Record>
Record load(const std::byte* from) {
  Record r;
  std::memcpy(&r, from, sizeof r);
  return r;
}

template <typename Record>
void store(const Record& r, std::byte* to) {
  std::memcpy(to, &r, sizeof r);
}

std::uint64_t zigzag(std::uint64_t difference) {
  return difference << 1 ^ (0 - (difference >> 63));
}
std::uint64_t unzigzag(std::uint64_t n) {
  return n >> 1 ^ (0 - (n & 1));
}

record_kind kind_of(const std::byte* record) {
  return static_cast<record_kind>(load<record_header>(record).kind);
}

bool is_whole_call(const std::byte* record, std::size_t bytes) {
  return bytes >= sizeof(call_record) &&
         (bytes - sizeof(call_record)) / sizeof(std::uint64_t) >= load<call_record>(record).requests;
}

/// The second request of a Start is that of its _init call, which stays.
std::uint32_t requests_that_change(const call_record& r) {
  const vocabulary::call_row* const row = vocabulary::find_call(r.call);
  return row && row->kind == vocabulary::call_class::start ? std::min(r.requests, 1u) : r.requests;
}

/// Request ids as distances from the newest: the next one to come is 1, none is 0.
std::uint64_t distance_of(std::uint64_t id, std::uint64_t newest) {
  return id == 0 ? 0 : newest + 2 - id;
}
std::uint64_t id_at(std::uint64_t distance, std::uint64_t newest) {
  return distance == 0 ? 0 : newest + 2 - distance;
}

std::uint64_t short_hash(std::uint64_t hash) {
  return hash & 0xffffffff;
}

} // namespace

// What both sides keep.

void fold_state::came(std::uint32_t id) {
  follows_[context_] = id;
  history_ = history_ << 16 | id;
  context_ = history_ * 0x9e3779b97f4a7c15u >> (64 - context_bits);
}

std::uint32_t fold_state::add(std::span<const std::byte> text) {
  shapes_.push_back(
      {static_cast<std::uint32_t>(shapes_text_.size()), static_cast<std::uint32_t>(text.size()), 0});
  shapes_text_.insert(shapes_text_.end(), text.begin(), text.end());
  return static_cast<std::uint32_t>(shapes_.size() - 1);
}

void fold_state::forget_shapes() {
  shapes_.clear();
  shapes_text_.clear();
  std::fill(follows_.begin(), follows_.end(), unknown);
}

// Folding.

void folder::put(std::vector<std::byte>& to, std::uint64_t n) {
  for (; n >= 128; n >>= 7)
    to.push_back(static_cast<std::byte>(n | 128));
  to.push_back(static_cast<std::byte>(n));
}

void folder::put_hash(std::uint64_t hash, std::size_t bytes) {
  const bool same = now_->hash == hash;
  now_->hash = hash;
  if (flag_count_ % 8 == 0)
    flags_.push_back(std::byte{0});
  if (same)
    flags_.back() |= static_cast<std::byte>(1u << flag_count_ % 8);
  ++flag_count_;
  if (same)
    return;
  const std::size_t at = hashes_.size();
  hashes_.resize(at + bytes);
  std::memcpy(hashes_.data() + at, &hash, bytes);
}

std::uint32_t folder::find(std::span<const std::byte> shape) {
  const std::uint64_t key = vocabulary::hash_of(shape.data(), shape.size());
  const auto [first, last] = ids_.equal_range(key);
  for (auto at = first; at != last; ++at)
    if (const auto known = text(shapes_[at->second]); std::ranges::equal(known, shape))
      return at->second;
  ids_.emplace(key, static_cast<std::uint32_t>(shapes_.size()));
  return unknown;
}

std::span<const std::byte> folder::fold(std::span<const std::byte> records) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < records.size(); ++count) {
    const auto header = load<record_header>(records.data() + at);
    if (header.bytes > longest_shape || header.kind == static_cast<std::uint16_t>(record_kind::folded))
      return {};
    at += header.bytes;
  }
  folded_record out{};
  // A full half brings at most 4096 new shapes, as no record is shorter than 32 bytes.
  if (shapes_.size() > most_shapes - 5000 || shapes_text_.size() > most_text) {
    forget_shapes();
    ids_.clear();
    out.forget = 1;
  }
  for (auto* part : {&ops_, &numbers_, &hashes_, &texts_, &flags_, &out_})
    part->clear();
  flag_count_ = 0;
  as_expected_ = 0;
  for (std::size_t at = 0; at < records.size();) {
    const auto header = load<record_header>(records.data() + at);
    fold_record(records.subspan(at, header.bytes));
    at += header.bytes;
  }
  put(ops_, as_expected_);
  out.header.kind = static_cast<std::uint16_t>(record_kind::folded);
  out.records = static_cast<std::uint32_t>(count);
  out.raw_bytes = static_cast<std::uint32_t>(records.size());
  const auto bytes_of = [](const std::vector<std::byte>& part) {
    return static_cast<std::uint32_t>(part.size());
  };
  out.ops_bytes = bytes_of(ops_);
  out.numbers_bytes = bytes_of(numbers_);
  out.hashes_bytes = bytes_of(hashes_);
  out.texts_bytes = bytes_of(texts_);
  out.flags_bytes = bytes_of(flags_);
  out_.resize(sizeof out);
  for (const auto* part : {&ops_, &numbers_, &hashes_, &texts_, &flags_})
    out_.insert(out_.end(), part->begin(), part->end());
  out_.resize((out_.size() + 7) & ~std::size_t{7});
  out.header.bytes = bytes_of(out_);
  store(out, out_.data());
  return out_;
}

/// Takes out of a call what is new in it; gives the marks of that.
unsigned folder::leave_shape(const call_record& c, std::byte* to) {
  unsigned marks = 0;
  call_record r = c;
  r.begin = r.end = 0;
  if (c.begin == call_begin_ && c.end == call_end_)
    marks |= same_times;
  if ((c.header.flags & call_hash_valid) != 0)
    r.hash = 0;
  if (c.layout == 0 && c.count > 1) {
    marks |= count_is_new;
    r.count = 0;
  }
  if (c.allocation != 0 && newest_allocation_ - c.allocation < near_allocations) {
    marks |= allocation_is_near;
    r.allocation = static_cast<std::uint32_t>(newest_allocation_ - c.allocation);
  }
  store(r, to);
  const std::uint32_t changing = requests_that_change(c);
  std::uint64_t newest = newest_request_;
  for (std::uint32_t i = 0; i < changing; ++i) {
    const auto id = load<std::uint64_t>(to + sizeof r + sizeof(std::uint64_t) * i);
    if (id > newest_request_ + 1)
      marks |= requests_as_they_are;
    newest = std::max(newest, id);
  }
  for (std::uint32_t i = 0; i < changing && (marks & requests_as_they_are) == 0; ++i)
    store(distance_of(load<std::uint64_t>(to + sizeof r + sizeof(std::uint64_t) * i), newest_request_),
          to + sizeof r + sizeof(std::uint64_t) * i);
  newest_request_ = newest;
  return marks;
}

unsigned folder::leave_shape(const completion_record& d, std::byte* to) {
  unsigned marks = 0;
  completion_record r = d;
  r.tick = 0;
  if ((d.header.flags & completion_hash_valid) != 0)
    r.hash = 0;
  if (d.request > newest_request_ + 1)
    marks |= requests_as_they_are;
  else
    r.request = distance_of(d.request, newest_request_);
  store(r, to);
  ++completions_;
  return marks;
}

/// Of records in which nothing is new but what they count from.
void folder::leave_shape(record_kind kind, std::size_t bytes, std::byte* to) {
  if (kind == record_kind::forward && bytes >= sizeof(forward_record)) {
    auto r = load<forward_record>(to);
    r.receive = completions_ - r.receive;
    store(r, to);
  } else if (kind == record_kind::allocation && bytes >= sizeof(allocation_record)) {
    auto r = load<allocation_record>(to);
    const std::uint32_t id = r.id;
    r.id = static_cast<std::uint32_t>(newest_allocation_) - id;
    store(r, to);
    newest_allocation_ = id;
  }
}

/// Which shape it is, which is said only if it is not the expected one.
void folder::put_shape(std::span<const std::byte> shape) {
  std::uint32_t id = expected();
  const bool as_expected = id != unknown && shapes_[id].bytes == shape.size() &&
                           std::memcmp(text(shapes_[id]).data(), shape.data(), shape.size()) == 0;
  if (as_expected) {
    ++as_expected_;
  } else {
    put(ops_, as_expected_);
    as_expected_ = 0;
    id = find(shape);
    put(ops_, id == unknown ? 0 : std::uint64_t{id} + 1);
    if (id == unknown) {
      put_text(shape);
      id = add(shape);
    }
  }
  came(id);
  now_ = &shapes_[id];
}

/// Which of eight bytes are not 0, then these.
void folder::put_text(std::span<const std::byte> shape) {
  put(texts_, shape.size());
  for (std::size_t at = 0; at < shape.size(); at += 8) {
    const std::size_t mask_at = texts_.size();
    texts_.push_back(std::byte{0});
    for (std::size_t i = at; i < std::min(at + 8, shape.size()); ++i)
      if (shape[i] != std::byte{0}) {
        texts_[mask_at] |= static_cast<std::byte>(1u << (i - at));
        texts_.push_back(shape[i]);
      }
  }
}

void folder::put_news(const call_record& c, unsigned marks) {
  if ((marks & same_times) == 0) {
    put_number(zigzag(c.begin - clock_));
    put_number(zigzag(c.end - c.begin));
    clock_ = c.end;
  }
  call_begin_ = c.begin;
  call_end_ = c.end;
  if ((c.header.flags & call_hash_valid) != 0)
    put_hash(c.hash, 8);
  if ((marks & count_is_new) != 0)
    put_number(c.count);
}

void folder::put_news(const completion_record& d) {
  put_number(zigzag(d.tick - clock_));
  clock_ = d.tick;
  if ((d.header.flags & completion_hash_valid) != 0)
    put_hash(short_hash(d.hash), 4);
}

void folder::fold_record(std::span<const std::byte> record) {
  // The shape: marks, then the record without what is new in it.
  std::byte room[longest_shape + 1];
  std::byte* const to = room + 1;
  std::memcpy(to, record.data(), record.size());
  const std::span<const std::byte> shape(room, record.size() + 1);
  const auto marked = [&](unsigned marks) { room[0] = static_cast<std::byte>(marks); };
  const record_kind kind = kind_of(to);
  if (kind == record_kind::call && is_whole_call(to, record.size())) {
    const auto c = load<call_record>(to);
    const unsigned marks = leave_shape(c, to);
    marked(marks);
    put_shape(shape);
    put_news(c, marks);
  } else if (kind == record_kind::completion && record.size() >= sizeof(completion_record)) {
    const auto d = load<completion_record>(to);
    marked(leave_shape(d, to));
    put_shape(shape);
    put_news(d);
  } else {
    marked(0);
    leave_shape(kind, record.size(), to);
    put_shape(shape);
  }
}

// Unfolding.

std::uint64_t unfolder::reader::number() {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<std::uint64_t>(bytes[i]);
    n |= (byte & 127) << 7 * i;
    if (byte < 128) {
      bytes = bytes.subspan(i + 1);
      return n;
    }
  }
  failed = true;
  return 0;
}

std::span<const std::byte> unfolder::reader::take(std::size_t count) {
  if (count > bytes.size()) {
    failed = true;
    return {};
  }
  const auto taken = bytes.first(count);
  bytes = bytes.subspan(count);
  return taken;
}

bool unfolder::unfold(std::span<const std::byte> folded, std::vector<std::byte>& records) {
  records.clear();
  if (folded.size() < sizeof(folded_record))
    return false;
  const auto r = load<folded_record>(folded.data());
  reader all{folded.subspan(sizeof r)};
  for (const auto& [part, bytes] : {std::pair{&ops_, r.ops_bytes}, std::pair{&numbers_, r.numbers_bytes},
                                    std::pair{&hashes_, r.hashes_bytes}, std::pair{&texts_, r.texts_bytes},
                                    std::pair{&flags_, r.flags_bytes}})
    *part = {all.take(bytes)};
  if (all.failed || r.raw_bytes > most_raw_bytes)
    return false;
  if (r.forget != 0)
    forget_shapes();
  records.reserve(r.raw_bytes);
  flag_count_ = 0;
  as_expected_ = ops_.number();
  for (std::uint32_t i = 0; i < r.records; ++i)
    if (!unfold_record(records) || records.size() > r.raw_bytes)
      return false;
  return records.size() == r.raw_bytes && !numbers_.failed && !hashes_.failed && !ops_.failed;
}

bool unfolder::get_hash(std::uint64_t& hash, std::size_t bytes) {
  if (flag_count_ / 8 >= flags_.bytes.size())
    return false;
  const bool same = (static_cast<unsigned>(flags_.bytes[flag_count_ / 8]) >> flag_count_ % 8 & 1) != 0;
  ++flag_count_;
  if (!same) {
    const auto taken = hashes_.take(bytes);
    if (hashes_.failed)
      return false;
    now_->hash = 0;
    std::memcpy(&now_->hash, taken.data(), bytes);
  }
  hash = now_->hash;
  return true;
}

bool unfolder::next_shape(std::uint32_t& id) {
  if (as_expected_ > 0) {
    --as_expected_;
    id = expected();
    return id < shapes_.size();
  }
  const std::uint64_t named = ops_.number();
  as_expected_ = ops_.number();
  if (ops_.failed)
    return false;
  if (named != 0) {
    id = static_cast<std::uint32_t>(named - 1);
    return named - 1 < shapes_.size();
  }
  const std::uint64_t bytes = texts_.number();
  if (texts_.failed || shapes_.size() >= most_shapes || bytes < 1 + sizeof(record_header) ||
      bytes > longest_shape + 1)
    return false;
  std::byte room[longest_shape + 1] = {};
  for (std::size_t at = 0; at < bytes; at += 8) {
    const auto mask = texts_.take(1);
    for (std::size_t i = at; !texts_.failed && i < std::min<std::size_t>(at + 8, bytes); ++i)
      if ((static_cast<unsigned>(mask[0]) >> (i - at) & 1) != 0)
        if (const auto one = texts_.take(1); !texts_.failed)
          room[i] = one[0];
    if (texts_.failed)
      return false;
  }
  const auto header = load<record_header>(room + 1);
  if (header.bytes != bytes - 1 || header.bytes % 8 != 0 ||
      header.kind == static_cast<std::uint16_t>(record_kind::folded))
    return false;
  id = add(std::span(room, bytes));
  return true;
}

bool unfolder::unfold_record(std::vector<std::byte>& records) {
  std::uint32_t id = 0;
  if (!next_shape(id))
    return false;
  came(id);
  now_ = &shapes_[id];
  const std::span<const std::byte> known = text(*now_);
  const auto marks = static_cast<unsigned>(known[0]);
  const std::size_t at = records.size(), bytes = known.size() - 1;
  records.insert(records.end(), known.begin() + 1, known.end());
  std::byte* const to = records.data() + at;
  const record_kind kind = kind_of(to);
  if (kind == record_kind::call && is_whole_call(to, bytes)) {
    auto r = load<call_record>(to);
    if ((marks & same_times) == 0) {
      call_begin_ = clock_ + unzigzag(numbers_.number());
      clock_ = call_end_ = call_begin_ + unzigzag(numbers_.number());
    }
    r.begin = call_begin_;
    r.end = call_end_;
    if ((r.header.flags & call_hash_valid) != 0 && !get_hash(r.hash, 8))
      return false;
    if ((marks & count_is_new) != 0)
      r.count = numbers_.number();
    if ((marks & allocation_is_near) != 0)
      r.allocation = static_cast<std::uint32_t>(newest_allocation_ - r.allocation);
    store(r, to);
    std::uint64_t newest = newest_request_;
    for (std::uint32_t i = 0; i < requests_that_change(r); ++i) {
      auto request = load<std::uint64_t>(to + sizeof r + sizeof(std::uint64_t) * i);
      if ((marks & requests_as_they_are) == 0)
        store(request = id_at(request, newest_request_), to + sizeof r + sizeof(std::uint64_t) * i);
      newest = std::max(newest, request);
    }
    newest_request_ = newest;
  } else if (kind == record_kind::completion && bytes >= sizeof(completion_record)) {
    auto r = load<completion_record>(to);
    clock_ += unzigzag(numbers_.number());
    r.tick = clock_;
    if ((r.header.flags & completion_hash_valid) != 0 && !get_hash(r.hash, 4))
      return false;
    if ((marks & requests_as_they_are) == 0)
      r.request = id_at(r.request, newest_request_);
    store(r, to);
    ++completions_;
  } else if (kind == record_kind::forward && bytes >= sizeof(forward_record)) {
    auto r = load<forward_record>(to);
    r.receive = completions_ - r.receive;
    store(r, to);
  } else if (kind == record_kind::allocation && bytes >= sizeof(allocation_record)) {
    auto r = load<allocation_record>(to);
    r.id = static_cast<std::uint32_t>(newest_allocation_) - r.id;
    newest_allocation_ = r.id;
    store(r, to);
  }
  return true;
}

std::span<const std::byte> record_cursor::next() {
  while (unfolded_at_ == unfolded_.size()) {
    begin_ = at_;
    record_header header;
    if (broken_ || file_.size() - at_ < sizeof header)
      return {};
    std::memcpy(&header, file_.data() + at_, sizeof header);
    if (header.bytes < sizeof header || header.bytes % 8 != 0 || header.bytes > file_.size() - at_)
      return {};
    const auto record = file_.subspan(at_, header.bytes);
    if (header.kind != static_cast<std::uint16_t>(record_kind::folded)) {
      at_ += header.bytes;
      return record;
    }
    unfolded_at_ = 0;
    if (!unfold_.unfold(record, unfolded_)) {
      unfolded_.clear();
      broken_ = true;
      return {};
    }
    at_ += header.bytes;
  }
  const auto header = load<record_header>(unfolded_.data() + unfolded_at_);
  const auto record = std::span<const std::byte>(unfolded_).subspan(unfolded_at_, header.bytes);
  unfolded_at_ += header.bytes;
  return record;
}

} // namespace tacit::recordings
