#include "tasks/mapper/mapper.h"

#include <fmt/format.h>

namespace tacit::tasks {
namespace {

axis_map following(int dim) {
  axis_map out;
  out.what = axis_map::kind::follows;
  out.of = static_cast<std::uint8_t>(dim);
  return out;
}

axis_map constant(interval where, bool clamp) {
  axis_map out;
  out.clamp = clamp;
  out.fixed = where;
  return out;
}

axis_map widened(int dim, coordinate border) {
  axis_map out = following(dim);
  out.clamp = true;
  out.below = out.above = border;
  return out;
}

term identity() {
  return {{following(0), following(1), following(2)}};
}

/// Where element x of the execution range begins in a buffer that is divided alike: monotone, 0 at the beginning and the
/// whole extent at the end, so that adjacent chunks have adjacent pieces.
coordinate scaled_begin(coordinate x, interval global, coordinate extent, coordinate granularity) {
  const coordinate granules = (extent + granularity - 1) / granularity;
  const auto share = static_cast<coordinate>(static_cast<__int128>(x - global.begin) * granules /
                                             std::max<coordinate>(1, global.length()));
  return std::min(extent, share * granularity);
}

} // namespace

interval unclamped(const axis_map& map, interval chunk, interval global, coordinate extent) {
  switch (map.what) {
  case axis_map::kind::constant:
    return map.fixed;
  case axis_map::kind::follows:
    return {chunk.begin - map.below, chunk.end + map.above};
  case axis_map::kind::scaled:
    return {scaled_begin(chunk.begin, global, extent, map.granularity),
            scaled_begin(chunk.end, global, extent, map.granularity)};
  }
  return {};
}

interval image(const axis_map& map, interval chunk, interval global, coordinate extent) {
  const interval out = unclamped(map, chunk, global, extent);
  return map.clamp ? intersection(out, {0, extent}) : out;
}

box image(const term& map, const box& chunk, const box& global, const range& extent) {
  if (chunk.empty())
    return {};
  box out;
  for (int d = 0; d < dimensions; ++d)
    out[d] = image(map[d], chunk[map[d].of], global[map[d].of], extent[d]);
  return out.empty() ? box{} : out;
}

region image(const mapper& map, const box& chunk, const box& global, const range& extent) {
  if (chunk.empty())
    return {};
  if (!map.symbolic())
    return (*map.function)(chunk, global, extent);
  if (map.terms.size() == 1)
    return image(map.terms[0], chunk, global, extent);
  std::vector<box> boxes;
  for (const term& t : map.terms)
    boxes.push_back(image(t, chunk, global, extent));
  return region(std::move(boxes));
}

mapper one_to_one() {
  return {"one_to_one", {identity()}, nullptr};
}

mapper all() {
  return {"all",
          {{{constant(everything, true), constant(everything, true), constant(everything, true)}}},
          nullptr};
}

mapper fixed(const box& where) {
  return {"fixed " + text_of(where),
          {{{constant(where[0], false), constant(where[1], false), constant(where[2], false)}}},
          nullptr};
}

mapper slice(int dim) {
  term out = identity();
  out[dim] = constant(everything, true);
  return {fmt::format("slice {}", dim), {out}, nullptr};
}

mapper neighborhood(const point& border, neighborhood_shape shape) {
  const std::string name = fmt::format("neighborhood {} {} {}", border[0], border[1], border[2]);
  if (shape == neighborhood_shape::bounding_box)
    return {name, {{{widened(0, border[0]), widened(1, border[1]), widened(2, border[2])}}}, nullptr};
  mapper out{name + " along axes", {}, nullptr};
  for (int d = 0; d < dimensions; ++d) {
    if (border[static_cast<std::size_t>(d)] == 0)
      continue;
    term arm{{widened(0, 0), widened(1, 0), widened(2, 0)}};
    arm[d] = widened(d, border[static_cast<std::size_t>(d)]);
    out.terms.push_back(arm);
  }
  if (out.terms.empty())
    out.terms.push_back({{widened(0, 0), widened(1, 0), widened(2, 0)}});
  return out;
}

mapper transposed(const std::array<int, dimensions>& order) {
  term out;
  for (int d = 0; d < dimensions; ++d) {
    const int of = order[static_cast<std::size_t>(d)];
    out[d] = of == no_dimension ? constant({0, 1}, false) : following(of);
  }
  return {fmt::format("transposed {} {} {}", order[0], order[1], order[2]), {out}, nullptr};
}

mapper even_split(coordinate granularity) {
  axis_map divided;
  divided.what = axis_map::kind::scaled;
  divided.granularity = std::max<coordinate>(1, granularity);
  return {"even_split", {{{divided, constant(everything, true), constant(everything, true)}}}, nullptr};
}

mapper from_function(std::string name, mapper_function function) {
  return {std::move(name), {}, std::make_shared<const mapper_function>(std::move(function))};
}

} // namespace tacit::tasks
