// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory/places.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "cli/memory/study.hpp"
#include "memory/job/mpimemu.hpp"
#include "memory/job/older_tool.hpp"
#include "record/merge/names.hpp"

namespace comity::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 3;  // folders below one that is named

// What a launcher says may stand above.
std::string first_lines_of(const std::string& file) {
  constexpr std::size_t kEnough_bytes = 4096;
  std::string text(kEnough_bytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

// Numbers in them count as such.
bool comes_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const auto digits = [](std::string_view text) {
      return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    };
    const std::size_t of_a = digits(a);
    const std::size_t of_b = digits(b);
    const std::string_view part_a = a.substr(0, std::max<std::size_t>(of_a, 1));
    const std::string_view part_b = b.substr(0, std::max<std::size_t>(of_b, 1));
    if (part_a != part_b) return of_a != of_b && of_a * of_b != 0 ? of_a < of_b : part_a < part_b;
    a.remove_prefix(part_a.size());
    b.remove_prefix(part_b.size());
  }
  return a.size() < b.size();
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none))
    names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end(), comes_before);
  return names;
}

bool is_folder(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(path, none);
}

void add_runs_in(std::vector<std::string>& runs, const fs::path& folder, int depth) {
  const std::vector<std::string> names = names_in(folder);
  if (std::any_of(names.begin(), names.end(), [](const std::string& name) { return record::is_record_file(name); }))
    return runs.push_back(folder.string());
  for (const std::string& name : names) {
    const fs::path path = folder / name;
    if (is_folder(path)) {
      if (depth < kDeepest && !name.ends_with(kUnfinished)) add_runs_in(runs, path, depth + 1);
    } else if (kind_of_run(path.string()) != RunKind::record) {
      runs.push_back(path.string());
    }
  }
}

}  // namespace

RunKind kind_of_run(const std::string& place) {
  std::error_code none;
  if (!fs::is_regular_file(place, none)) return RunKind::record;
  const std::string begin = first_lines_of(place);
  if (memory::is_of_older_tool(begin)) return RunKind::memnesia;
  return memory::is_of_mpimemu(begin) ? RunKind::mpimemu : RunKind::record;
}

std::vector<std::string> runs_in(const std::string& place) {
  std::vector<std::string> runs;
  if (is_folder(place)) add_runs_in(runs, place, 0);
  if (runs.empty()) runs.push_back(place);
  return runs;
}

std::vector<std::string> runs_in(const std::vector<std::string>& places) {
  std::vector<std::string> all;
  for (const std::string& place : places) {
    const std::vector<std::string> runs = runs_in(place);
    all.insert(all.end(), runs.begin(), runs.end());
  }
  return all;
}

}  // namespace comity::cli
