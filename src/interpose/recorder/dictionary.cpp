#include "interpose/recorder/dictionary.h"

#include "interpose/layer/mpi_library.h"
#include "interpose/recorder/flatten.h"
#include "interpose/recorder/sites.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace tacit::interpose {

namespace rec = recordings;

namespace {

template <typename T>
std::span<const std::byte> as_bytes(const std::vector<T>& list) {
  return std::as_bytes(std::span(list));
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t both[2] = {a, b};
  return hash_bytes(both, sizeof both);
}

template <typename T>
std::uint64_t hash_list(const std::vector<T>& list) {
  return hash_bytes(list.data(), list.size() * sizeof(T));
}

/// Keys are never 0, which means unknown, nor the two reserved ones.
std::uint64_t proper_key(std::uint64_t key) {
  return key < 16 ? key + 16 : key;
}

/// Constructors without a parent that all callers share: told apart by how often these very members made one.
bool counted_by_members(mpi_call call) {
  return call == mpi_call::Intercomm_create || call == mpi_call::Comm_create_from_group ||
         call == mpi_call::Intercomm_create_from_groups;
}

constexpr std::uint64_t world_key = 1;
constexpr std::uint64_t self_key = 2; // and the rank decides which: the members are mixed in

} // namespace

void dictionary::start() {
  TACIT_PMPI(Comm_group)(handles().world, &world_group_);
  known_comm& world = define_communicator(handles().world, 0, mpi_call::none, world_key, false);
  define_communicator(handles().self, world.id, mpi_call::none, self_key, true);
}

// Call sites and modules.

std::uint32_t dictionary::site(std::uint64_t address) {
  if (const std::uint32_t* known = sites_.find(address))
    return *known;
  const known_module& module = module_at(address);
  rec::site_record record{};
  record.header.kind = static_cast<std::uint16_t>(rec::record_kind::site);
  record.id = ++last_site_;
  record.module = module.id;
  record.offset = address - module.base;
  if (has_room())
    out_.append(record);
  return sites_[address] = record.id;
}

// Two paths with one hash would count as one: with 2^13 paths that happens once in 2^38 programs.
std::uint32_t dictionary::path(const invocation& v) {
  const std::span<const std::uint64_t> frames = paths_.find(v.from, &v);
  if (frames.size() < 2)
    return site(reinterpret_cast<std::uint64_t>(v.from));
  std::uint64_t key = frames.size();
  for (const std::uint64_t address : frames)
    key = (key ^ address) * 0x9e3779b97f4a7c15u + (key >> 29);
  key >>= 1; // never the one key that the table reserves
  if (const std::uint32_t* known = path_ids_.find(key))
    return *known;
  std::vector<std::uint32_t> sites;
  for (const std::uint64_t address : frames)
    sites.push_back(site(address));
  rec::path_record record{};
  record.header.kind = static_cast<std::uint16_t>(rec::record_kind::path);
  record.id = ++last_site_;
  record.frames = static_cast<std::uint32_t>(sites.size());
  if (has_room())
    out_.append(record, as_bytes(sites));
  return path_ids_[key] = record.id;
}

const dictionary::known_module& dictionary::module_at(std::uint64_t address) {
  for (const known_module& m : modules_)
    if (address >= m.begin && address < m.end)
      return m;
  const loaded_module found = find_module(address);
  const auto id = static_cast<std::uint32_t>(modules_.size() + 1);
  rec::module_record record{};
  record.header.kind = static_cast<std::uint16_t>(rec::record_kind::module);
  record.id = id;
  record.build_id_bytes = static_cast<std::uint32_t>(found.build_id.size());
  record.path_bytes = static_cast<std::uint32_t>(found.path.size());
  if (has_room())
    out_.append(record, as_bytes(found.build_id), std::as_bytes(std::span(found.path)));
  // Code outside any module (generated at run time) gets a module without a name for itself.
  if (found.path.empty())
    return modules_.emplace_back(known_module{address, address + 1, 0, id});
  return modules_.emplace_back(known_module{found.begin, found.end, found.base, id});
}

// Memory.

const memory_block& dictionary::block(std::uint64_t address) {
  const memory_block found = find_block(address);
  if (found.fresh)
    define_block(found);
  return last_block_ = found;
}

void dictionary::define_block(const memory_block& block) {
  rec::allocation_record record{};
  record.header.kind = static_cast<std::uint16_t>(rec::record_kind::allocation);
  record.id = block.id;
  record.kind = block.kind;
  record.base = block.base;
  record.bytes = block.bytes;
  if (block.kind == rec::memory_kind::module_data)
    record.module = module_at(block.base).id;
  out_.append(record);
}

location dictionary::location_of(const void* buffer, const data_layout* layout) {
  const auto address = reinterpret_cast<std::uint64_t>(buffer);
  const auto first = layout && !layout->segments.empty() ? layout->segments[0].displacement : 0;
  const memory_block& in = block(address + static_cast<std::uint64_t>(first));
  return {in.id, static_cast<std::int64_t>(address - (in.id ? in.base : 0))};
}

// Datatypes.

std::uint64_t dictionary::bits_of(MPI_Datatype type) {
  return bits(type);
}

const data_layout* dictionary::layout(MPI_Datatype type) {
  if (const auto* known = layouts_.find(bits(type)))
    return *known;
  if (type == handles().datatype_null)
    return nullptr;
  const data_layout* made = define_layout(describe_type(type));
  layouts_[bits(type)] = made;
  return made;
}

const data_layout* dictionary::layout_of(const data_part& data, bool any_peer) {
  const MPI_Datatype type = data.types && any_peer ? data.types[0] : data.type;
  if (type == MPI_Datatype{} || type == handles().datatype_null)
    return nullptr;
  return data.scattered ? define_layout(size_only(type)) : layout(type);
}

const data_layout* dictionary::define_layout(data_layout&& layout) {
  static_assert(sizeof(layout_segment) == 16);
  const auto& s = layout.segments;
  const auto key = mix(mix(layout.size, static_cast<std::uint64_t>(layout.extent)),
                       hash_bytes(s.data(), s.size() * sizeof(layout_segment)) >> 1);
  const auto same = [&](const data_layout* other) {
    return other->size == layout.size && other->extent == layout.extent && other->known == layout.known &&
           other->segments.size() == s.size() &&
           (s.empty() ||
            std::memcmp(other->segments.data(), s.data(), s.size() * sizeof(layout_segment)) == 0);
  };
  auto& alike = shapes_[key >> 1];
  for (const data_layout* other : alike)
    if (same(other))
      return other;
  layout.id = static_cast<std::uint32_t>(all_layouts_.size() + 1);
  all_layouts_.push_back(std::move(layout));
  const data_layout& made = all_layouts_.back();
  alike.push_back(&made);
  rec::layout_record record{};
  record.header.kind = static_cast<std::uint16_t>(rec::record_kind::layout);
  record.id = made.id;
  record.segments = static_cast<std::uint32_t>(made.segments.size());
  record.size = made.size;
  record.extent = made.extent;
  if (out_.room() == rec::recording_room::everything) // only calls with records name them
    out_.append(record, as_bytes(made.segments));
  return &made;
}

// Communicators.

std::vector<std::uint32_t> dictionary::world_ranks(MPI_Group group) {
  int size = 0;
  TACIT_PMPI(Group_size)(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), in_world(ranks.size());
  for (int i = 0; i < size; ++i)
    ranks[static_cast<std::size_t>(i)] = i;
  TACIT_PMPI(Group_translate_ranks)(group, size, ranks.data(), world_group_, in_world.data());
  std::vector<std::uint32_t> members;
  members.reserve(ranks.size());
  for (const int rank : in_world)
    members.push_back(rank == MPI_UNDEFINED ? rec::not_in_world : static_cast<std::uint32_t>(rank));
  return members;
}

std::vector<std::uint32_t> dictionary::members(MPI_Comm comm, bool remote) {
  MPI_Group group;
  if (remote)
    TACIT_PMPI(Comm_remote_group)(comm, &group);
  else
    TACIT_PMPI(Comm_group)(comm, &group);
  std::vector<std::uint32_t> list = world_ranks(group);
  TACIT_PMPI(Group_free)(&group);
  return list;
}

known_comm* dictionary::communicator(MPI_Comm comm) {
  if (known_comm* const* known = comms_.find(bits(comm)))
    return *known;
  if (comm == handles().comm_null || comm == MPI_Comm{})
    return nullptr;
  // Made in a way that was not seen (another language's interface, a parent of spawned processes).
  return &define_communicator(comm, 0, mpi_call::none, 0, false);
}

void dictionary::forget_communicator(MPI_Comm comm) {
  comms_.erase(bits(comm));
}

void dictionary::made(MPI_Comm comm, std::uint32_t parent, mpi_call call, std::uint64_t key) {
  if (comm == handles().comm_null)
    return;
  forget_communicator(comm);
  define_communicator(comm, parent, call, key, true);
}

known_comm& dictionary::define_communicator(MPI_Comm comm, std::uint32_t parent, mpi_call call,
                                            std::uint64_t key, bool mix_members) {
  int rank = 0, inter = 0;
  TACIT_PMPI(Comm_rank)(comm, &rank);
  TACIT_PMPI(Comm_test_inter)(comm, &inter);
  std::vector<std::uint32_t> group = members(comm, false);
  if (key != 0 && mix_members) {
    std::uint64_t ours = hash_list(group);
    // Both sides of an intercommunicator must get the same key.
    if (inter) {
      const std::uint64_t theirs = hash_list(members(comm, true));
      ours = mix(std::min(ours, theirs), std::max(ours, theirs));
    }
    key = mix(key, ours);
    if (counted_by_members(call))
      key = tuple_key(key);
    key = proper_key(key);
  }
  known_comm& known = all_comms_.emplace_back();
  known.id = ++last_comm_;
  known.rank = static_cast<std::uint32_t>(rank);
  known.size = static_cast<std::uint32_t>(group.size());
  known.inter = inter != 0;
  known.key = key;
  comms_[bits(comm)] = &known;
  rec::communicator_record record{};
  record.header.kind = static_cast<std::uint16_t>(rec::record_kind::communicator);
  record.id = known.id;
  record.parent = parent;
  record.key = key;
  record.rank = known.rank;
  record.size = known.size;
  record.call = static_cast<std::uint16_t>(call);
  record.inter = inter != 0;
  out_.append(record, as_bytes(group));
  return known;
}

/// How often this tuple was used, mixed into it.
std::uint64_t dictionary::tuple_key(std::uint64_t tuple) {
  return mix(tuple, ++uses_[tuple >> 1]);
}

std::uint64_t dictionary::constructor_key(const invocation& v) {
  const auto call = static_cast<std::uint64_t>(v.call);
  const auto tag = static_cast<std::uint64_t>(static_cast<std::uint32_t>(v.send_tag));
  known_comm* parent = v.comm == MPI_Comm{} ? nullptr : communicator(v.comm);
  switch (v.call) {
  case mpi_call::Comm_spawn:
  case mpi_call::Comm_spawn_multiple:
  case mpi_call::Comm_accept:
  case mpi_call::Comm_connect:
  case mpi_call::Comm_join:
    return 0; // the other side is another world
  case mpi_call::Comm_create_group:
    // Only the group calls it, so the parent's count differs; groups that overlap must use different tags.
    return parent && parent->key
               ? tuple_key(mix(mix(parent->key, call), mix(tag, hash_list(world_ranks(v.group)))))
               : 0;
  case mpi_call::Comm_create_from_group:
  case mpi_call::Intercomm_create_from_groups: {
    const std::string text = v.string_tag ? v.string_tag : "";
    return mix(call, hash_bytes(text.data(), text.size()));
  }
  case mpi_call::Intercomm_create:
    return mix(call, tag);
  default:
    return parent && parent->key ? mix(mix(parent->key, call), ++parent->children) : 0;
  }
}

} // namespace tacit::interpose
