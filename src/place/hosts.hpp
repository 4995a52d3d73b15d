// SPDX-License-Identifier: BSD-3-Clause
// Hosts: names of nodes, as files and variables of launchers have them: "n1:8 n2:8", a line each with "slots=8", Slurm's
// "n[01-04,7]", a host once for each of its slots (PBS); and numbers of theirs,
// "4(x2),8". # begins a comment. Not: opening files, nor what the nodes are
// made of (site.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comity::place {

inline constexpr std::size_t kMostHosts = 1'000'000;

enum class SlotsOf : std::uint8_t { list, job };  // a job that is overcommitted may tell of more than its node takes

struct Host {
  std::string name;
  std::optional<std::uint32_t> slots = {};  // how many ranks it takes; none: the text does not say
  std::optional<std::uint32_t> cpus =
      {};  // that the job has there, as Slurm counts them: cores or hardware threads; none: all
  SlotsOf slots_of = SlotsOf::list;  // who told them

  friend bool operator==(const Host&, const Host&) = default;
};

[[nodiscard]] std::vector<std::string> names_of(const std::vector<Host>& hosts);

// In the order of the text; a host that comes again has the slots of all its places together. `name` is what errors call
// the text. Throws Status::argument or Status::range.
[[nodiscard]] std::vector<Host> parse_hosts(std::string_view text, const std::string& name);

// The names alone, for who has no use for slots: a name that has some, or that comes again, is refused too.
[[nodiscard]] std::vector<std::string> parse_names(std::string_view text, const std::string& name);

// A number for each node as Slurm writes them, "4(x2),8": 4, 4 and 8. Throws Status::argument.
[[nodiscard]] std::vector<std::uint32_t> parse_counts(std::string_view text, const std::string& name);

}  // namespace comity::place
