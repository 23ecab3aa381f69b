// A page as one HTML file: no network, no scripts needed, under 1 MB for any input (what was cut is said in
// it).
#pragma once

#include "surface/report/page.h"

#include <string>
#include <string_view>

namespace tacit::surface {

inline constexpr std::size_t html_limit = 1'000'000; ///< bytes

std::string html_of(const page& p);

/// Text made safe inside elements and attribute values: markup characters are escaped, control characters and
/// bytes that are no UTF-8 become U+FFFD, and what is longer than `limit` bytes ends in "…".
std::string escaped(std::string_view text, std::size_t limit = 400);

/// How much is shown; the renderer lowers these until the file is small enough.
struct html_caps {
  std::size_t findings = 60;
  std::size_t pictures = 30;  ///< findings with timelines
  std::size_t messages = 900; ///< arrows per picture
  std::size_t rows = 150;     ///< per table
  std::size_t sites = 8;      ///< per finding
  std::size_t text = 400;     ///< bytes per piece of text
};

// Pictures as inline SVG (html_figures.cpp).
std::string svg_of(const matrix& m, const html_caps& caps);
std::string svg_of(const timeline& l, const html_caps& caps);
std::string svg_of(const plot& p);                ///< html_plot.cpp
std::string svg_of(const std::vector<bar>& bars); ///< html_bars.cpp
std::string svg_of(const diagram& d);             ///< html_diagram.cpp
/// A sentence on what the picture leaves out, or empty.
std::string cut_note(const matrix& m);
std::string cut_note(const timeline& l, const html_caps& caps);
std::string cut_note(const diagram& d);

extern const std::string_view html_style;

} // namespace tacit::surface
