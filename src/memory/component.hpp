// SPDX-License-Identifier: BSD-3-Clause
// Components: whose memory it is, by the shared object that asked for it, and the rules that tell whose an object is.
// Not: which object asked (the hooks), nor how much it has. Invariant: every path has a component; asking for one neither
// allocates nor fails.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace comity::memory {

// Those of users' own come after the last one. Stored in records by name: the numbers may change.
enum class Component : std::uint8_t {
  application,  // the main program, and every object that no rule names
  mpi,
  pmix,
  fabric,   // what an MPI library sends with: UCX, libfabric, verbs
  support,  // what MPI libraries load beside: hwloc with its plugins, libevent
  openmp,
  blas,
  hdf5,
  python,
  fortran,
  gpu,
  comity,
  libc,       // the C and C++ runtime, when it asks for itself
  allocator,  // a malloc that stands in for libc's; what it hands out is its callers'
  // Memory that no object is told to own, in the words of the kernel's maps.
  heap,         // blocks and arenas of malloc where nobody recorded who asked for them
  heap_unused,  // resident in malloc's arenas, and in no live block
  stack,
  file,       // mapped files that are no objects
  shared,     // segments that processes share
  anonymous,  // private mappings of no known owner
  hugetlb,    // pages of hugetlbfs, which no other total holds
  page_tables,
  kernel,   // vdso, vvar and their like
  unknown,  // blocks that malloc handed out before anybody watched
};

inline constexpr std::array<std::string_view, 24> kComponentNames{
    "application", "mpi",     "pmix",   "fabric",    "support", "openmp",      "blas",   "hdf5",
    "python",      "fortran", "gpu",    "comity",    "libc",    "allocator",   "heap",   "heap_unused",
    "stack",       "file",    "shared", "anonymous", "hugetlb", "page_tables", "kernel", "unknown"};
static_assert(static_cast<std::size_t>(Component::unknown) + 1 == kComponentNames.size());

inline constexpr std::size_t kMostOwnComponents = 40;
inline constexpr std::size_t kMostComponents =
    kComponentNames.size() + kMostOwnComponents;  // so many rows has a table by id

// Whether objects own memory of this component; the others describe memory without an owner.
[[nodiscard]] constexpr bool is_owner(Component component) {
  return component <= Component::allocator || static_cast<std::size_t>(component) >= kComponentNames.size();
}

// What a process would not have without its MPI.
[[nodiscard]] constexpr bool comes_with_mpi(Component component) {
  return component == Component::mpi || component == Component::pmix || component == Component::fabric ||
         component == Component::support;
}

// A path as the kernel tells it, without the word behind it for a file that has none any more.
[[nodiscard]] std::string_view without_deleted(std::string_view path) noexcept;

// What of a path a glob is compared with. There are many rules, and all objects of a process are asked for: so it is found once.
struct ComparedPart {
  bool is_whole_path = false;
  std::uint16_t slashes = 0;  // else as many of its last parts, and the file's name
};
[[nodiscard]] constexpr ComparedPart compared_part(std::string_view glob) noexcept {
  ComparedPart part;
  part.is_whole_path = glob.starts_with('/') || glob.find("**") != std::string_view::npos;
  for (const char c : glob) {
    if (c == '/') ++part.slashes;
  }
  return part;
}

// What is wrong with a line of users' rules; `why` is a whole sentence's end.
struct RuleProblem {
  std::size_t line = 0;  // the first one is 1
  std::string_view why;
};

// The built-in rules, and users' before them. It holds no memory of malloc's and can be copied byte by byte.
class Components {
 public:
  constexpr Components() = default;

  // Adds users' rules, of which those that stand first count first: `component = glob` a line, # begins a comment. A glob
  // without a slash is compared with a file's name, one that starts with a slash or has `**` in it with the whole path,
  // any other with as many of the path's last parts as it has. At a problem nothing of the text is added.
  [[nodiscard]] std::optional<RuleProblem> add(std::string_view text) noexcept;

  // Of an object's path as the linker or the kernel tells it; "" is the main program.
  [[nodiscard]] Component of_object(std::string_view path) const noexcept;

  // Who makes shared segments of such a name; none: nobody known.
  [[nodiscard]] std::optional<Component> maker_of(std::string_view segment) const noexcept;

  [[nodiscard]] std::string_view name(Component component) const noexcept;  // "unknown" for a number that is none
  [[nodiscard]] std::optional<Component> find(std::string_view name) const noexcept;
  [[nodiscard]] std::size_t count() const noexcept { return kComponentNames.size() + own_components_; }

 private:
  struct Span {  // of text_: a copy of this has its text with it
    std::uint16_t start = 0;
    std::uint16_t length = 0;
  };
  struct Rule {
    Span glob;
    Component component = Component::application;
    ComparedPart part;
  };
  static constexpr std::size_t kTextBytes = 8192;
  static constexpr std::size_t kMostRules = 256;

  [[nodiscard]] std::string_view text_of(Span span) const noexcept { return {&text_[span.start], span.length}; }
  [[nodiscard]] std::optional<Component> by_own_rule(std::string_view path) const noexcept;
  [[nodiscard]] std::string_view add_line(std::string_view line) noexcept;
  [[nodiscard]] std::optional<Span> keep(std::string_view text) noexcept;
  [[nodiscard]] std::optional<Component> named(std::string_view name) noexcept;

  std::array<char, kTextBytes> text_{};
  std::array<Rule, kMostRules> rules_{};
  std::array<Span, kMostOwnComponents> own_names_{};
  std::size_t text_bytes_ = 0;
  std::size_t rule_count_ = 0;
  std::size_t own_components_ = 0;
};

// The built-in rules and those of a file; "" names none. Throws with the file, the line and what is wrong.
[[nodiscard]] Components components_of(const std::string& rules_file);

}  // namespace comity::memory
