#include "graphs/platform/graph_measurements.h"

#include "graphs/platform/kept_file.h"
#include "vocabulary/base/whole_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace tacit::graphs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_words = 1000; // of each text of a measurement
constexpr std::size_t most_text =
    most_graph_measurements * (4 * most_words); // of a file; a measurement takes about 300 B

std::string first_line(std::string_view library) {
  return fmt::format("tacit graph measurements 1\t{}\t{}", host_name(), library);
}

/// Separates the texts of a line, so it may stand in none.
std::string plain(std::string text) {
  text.resize(std::min(text.size(), most_words));
  std::replace_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

std::string line_of(const graph_measurement& v) {
  return fmt::format("{:016x}\t{}\t{:.3e}\t{}\t{}\t{}\n", v.key, plain(v.variant), v.seconds, plain(v.day),
                     plain(v.graph), plain(v.others));
}

template <typename Number, typename... Base>
bool read_number(std::string_view text, Number& out, Base... base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base...);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<graph_measurement> measurement_in(std::string_view line) {
  std::array<std::string_view, 6> part;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const std::size_t end = line.find('\t');
    if ((end == std::string_view::npos) != (i + 1 == part.size()))
      return std::nullopt;
    part[i] = line.substr(0, end);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  graph_measurement v;
  if (part[0].size() != 16 || !read_number(part[0], v.key, 16) || !read_number(part[2], v.seconds) ||
      !std::isfinite(v.seconds) || v.seconds < 0 || part[1].empty())
    return std::nullopt;
  v.variant = part[1];
  v.day = part[3];
  v.graph = part[4];
  v.others = part[5];
  return v;
}

std::string read_text(std::ifstream& in) {
  std::string text;
  std::array<char, 1 << 14> buffer;
  while (text.size() <= most_text && (in.read(buffer.data(), buffer.size()) || in.gcount() > 0))
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
  return text;
}

kept_graph_measurements read_file(const fs::path& file, std::string_view library) {
  std::error_code error;
  if (!fs::exists(file, error))
    return {};
  std::string text;
  if (fs::is_regular_file(file, error)) { // opening a pipe would wait
    std::ifstream in(file, std::ios::binary);
    text = read_text(in);
  }
  const auto ignored = [&](std::string_view why) {
    return kept_graph_measurements{{}, fmt::format("{} is ignored, because it {}", file.string(), why)};
  };
  if (text.empty() || text.size() > most_text)
    return ignored("could not be read, or is too long");
  std::string_view rest = text;
  const auto next_line = [&] {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
  };
  if (next_line() != first_line(library))
    return ignored("is of another machine, library or version");
  if (text.back() != '\n')
    return ignored("is damaged: its last line is cut off");
  kept_graph_measurements out;
  for (std::size_t number = 2; !rest.empty(); ++number) {
    auto v = measurement_in(next_line());
    if (!v)
      return ignored(fmt::format("is damaged in line {}", number));
    out.list.push_back(std::move(*v));
  }
  return out;
}

/// Held by who writes; the file itself is replaced, so the lock is on another one.
class write_lock {
public:
  explicit write_lock(const fs::path& file)
      : file_(::open((file.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)), error_(errno) {
    constexpr int tries = 100;
    for (int i = 0; file_ >= 0 && i < tries; ++i) {
      error_ = ::flock(file_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
      if (error_ != EWOULDBLOCK && error_ != EINTR)
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  ~write_lock() {
    if (file_ >= 0)
      ::close(file_); // and gives the lock back
  }
  write_lock(const write_lock&) = delete;
  write_lock& operator=(const write_lock&) = delete;
  /// 0: it is held.
  int error() const { return error_; }

private:
  int file_;
  int error_;
};

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 16> day{};
  if (::gmtime_r(&now, &parts))
    std::strftime(day.data(), day.size(), "%Y-%m-%d", &parts);
  return day.data();
}

} // namespace

const graph_measurement* kept_graph_measurements::of(std::uint64_t key) const {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const graph_measurement& v) { return v.key == key; });
  return found == list.end() ? nullptr : &*found;
}

fs::path graph_measurement_file(std::string_view library) {
  return kept_file(fmt::format("graphs-{}-{}.txt", host_name(), library));
}

kept_graph_measurements load_graph_measurements(std::string_view library) {
  const fs::path file = graph_measurement_file(library);
  return file.empty() ? kept_graph_measurements() : read_file(file, library);
}

std::string keep_graph_measurement(std::string_view library, graph_measurement made) {
  const fs::path file = graph_measurement_file(library);
  if (file.empty())
    return "neither XDG_CACHE_HOME nor HOME names a folder for caches";
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error)
    return fmt::format("could not make {}: {}", file.parent_path().string(), error.message());
  const write_lock lock(file);
  if (lock.error() == EWOULDBLOCK)
    return fmt::format("{} is in use by others", file.string());
  if (lock.error() != 0)
    return fmt::format("{} could not be locked: {}", file.string(), std::strerror(lock.error()));
  std::vector<graph_measurement> list = read_file(file, library).list;
  std::erase_if(list, [&](const graph_measurement& v) { return v.key == made.key; });
  made.day = today();
  list.push_back(std::move(made));
  if (list.size() > most_graph_measurements)
    list.erase(list.begin(), list.end() - most_graph_measurements);
  std::string text = first_line(library) + "\n";
  for (const graph_measurement& v : list)
    text += line_of(v);
  const int failed = vocabulary::write_whole_file(file.string(), text);
  return failed == 0 ? std::string()
                     : fmt::format("{} could not be written: {}", file.string(), std::strerror(failed));
}

} // namespace tacit::graphs
