// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/in_place/behind.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "cli/common/arguments.hpp"
#include "cli/place/wrapper.hpp"

namespace comity::cli {
namespace {

using std::string_view_literals::operator""sv;
using Words = std::vector<std::string>;

// What stands between a wrapper's name and the program.
struct WrapperWords {
  std::string_view name;
  std::string_view flags = {}, valued = {};            // letters of options without and with a value
  std::string_view long_flags = {}, long_valued = {};  // names, each between blanks
  bool assigns = false;                                // NAME=VALUE, as many as there are
  bool takes_number = false;                           // -5
  std::size_t own = 0;                                 // words behind its options
};

constexpr std::array kWrappers{
    WrapperWords{.name = kWrapperName},
    WrapperWords{.name = "env",
                 .flags = "iv",
                 .valued = "uC",
                 .long_flags = " ignore-environment debug ",
                 .long_valued = " unset chdir ",
                 .assigns = true},
    WrapperWords{.name = "taskset", .flags = "ac", .long_flags = " all-tasks cpu-list ", .own = 1},
    WrapperWords{.name = "numactl",
                 .flags = "lab",
                 .valued = "iNmCp",
                 .long_flags = " localalloc all balancing ",
                 .long_valued = " interleave cpunodebind membind physcpubind preferred preferred-many "},
    WrapperWords{.name = "nice", .valued = "n", .long_valued = " adjustment ", .takes_number = true},
    WrapperWords{.name = "nohup"}};

// Of others that start a program the words are not known here.
constexpr std::array kUnsure{"sh"sv,      "bash"sv, "dash"sv,       "ksh"sv,         "zsh"sv,     "csh"sv,
                             "tcsh"sv,    "fish"sv, "hwloc-bind"sv, "likwid-pin"sv,  "chrt"sv,    "ionice"sv,
                             "timeout"sv, "time"sv, "stdbuf"sv,     "setsid"sv,      "setarch"sv, "strace"sv,
                             "ltrace"sv,  "gdb"sv,  "valgrind"sv,   "perf"sv,        "xterm"sv,   "sudo"sv,
                             "nsys"sv,    "ncu"sv,  "apptainer"sv,  "singularity"sv, "docker"sv,  "podman"sv};

// What they are given may start and bind anything. Of such a name also with the number of a version (python3.11).
constexpr std::array kInterpreters{"python"sv,  "pypy"sv,  "perl"sv,   "ruby"sv,   "lua"sv,
                                   "tclsh"sv,   "wish"sv,  "expect"sv, "node"sv,   "php"sv,
                                   "Rscript"sv, "julia"sv, "guile"sv,  "octave"sv, "awk"sv};

std::string file_name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

bool is_interpreter(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789.");
  return last != std::string_view::npos &&
         std::ranges::find(kInterpreters, name.substr(0, last + 1)) != kInterpreters.end();
}

// Its program stands behind --.
bool is_comity_run(const Words& words, std::size_t at, std::string_view name) {
  return name == "comity" && at + 1 < words.size() && words[at + 1] == "run";
}

bool has_name(std::string_view names, std::string_view name) {
  return !name.empty() && names.find(' ' + std::string(name) + ' ') != std::string_view::npos;
}

// How many words an option takes, itself among them; none where it is not known.
std::optional<std::size_t> words_of_option(const WrapperWords& wrapper, std::string_view word) {
  if (word.starts_with("--")) {
    const std::size_t sign = word.find('=');
    const std::string_view name = word.substr(2, sign == std::string_view::npos ? sign : sign - 2);
    if (has_name(wrapper.long_valued, name)) return sign == std::string_view::npos ? 2 : 1;
    return sign == std::string_view::npos && has_name(wrapper.long_flags, name) ? std::optional<std::size_t>(1)
                                                                                : std::nullopt;
  }
  const auto is_digit = [](char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; };
  if (wrapper.takes_number && std::all_of(word.begin() + 1, word.end(), is_digit)) return 1;
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (wrapper.valued.find(word[i]) != std::string_view::npos) return i + 1 == word.size() ? 2 : 1;
    if (wrapper.flags.find(word[i]) == std::string_view::npos) return std::nullopt;
  }
  return 1;
}

// Behind the wrapper at `at`; none where its words are not known.
std::optional<std::size_t> behind(const WrapperWords& wrapper, const Words& words, std::size_t at) {
  for (++at; at < words.size() && words[at].size() > 1 && words[at].front() == '-';) {
    if (words[at] == "--") {
      ++at;
      break;
    }
    const auto taken = words_of_option(wrapper, words[at]);
    if (!taken) return std::nullopt;
    at += *taken;
  }
  while (wrapper.assigns && at < words.size() && words[at].find('=') != std::string::npos) ++at;
  return at + wrapper.own;
}

[[noreturn]] void refuse(const std::string& option, const std::string& wrapper) {
  throw UsageError(option + " cannot tell where the program stands behind " + wrapper + "; write {} there");
}

}  // namespace

std::size_t program_behind_wrappers(const std::vector<std::string>& words, const std::string& option) {
  for (std::size_t at = 0;;) {
    const std::string name = at < words.size() ? file_name_of(words[at]) : std::string();
    if (std::ranges::find(kUnsure, name) != kUnsure.end() || is_interpreter(name)) refuse(option, name);
    if (is_comity_run(words, at, name)) {
      const auto behind_run = std::find(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(), "--");
      if (behind_run == words.end() || behind_run + 1 == words.end()) refuse(option, "comity run");
      at = static_cast<std::size_t>(behind_run - words.begin()) + 1;
      continue;
    }
    const auto* const wrapper = std::ranges::find(kWrappers, std::string_view(name), &WrapperWords::name);
    if (wrapper == kWrappers.end()) return at;
    const auto next = behind(*wrapper, words, at);
    if (!next) refuse(option, name);
    if (*next >= words.size()) return at;
    at = *next;
  }
}

bool is_script(const std::string& path) {
  constexpr std::string_view kMark = "#!";
  std::string begin(kMark.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == kMark;
}

}  // namespace comity::cli
