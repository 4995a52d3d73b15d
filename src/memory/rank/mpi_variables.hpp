// SPDX-License-Identifier: BSD-3-Clause
// MpiVariables: what the MPI says of its own memory by the variables of its tool interface (MPI_T), at the moments at which all pages are
// looked at. Not: how they are read (who makes it knows MPI), nor whose the memory is: no figure of any other table comes from here.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "memory/rank/stocks.hpp"
#include "record/format/table.hpp"

namespace comity::memory {

// As the MPI gives them. What a value counts is told by its description alone.
struct MpiVariable {
  std::string name;
  std::string description;
  std::int64_t value = 0;
};

inline constexpr const char* kVariablesTable = "memory.variables";  // absent: nobody asked; empty: the MPI has none

// Whether a variable of that name counts memory. A name is all that an MPI has to tell what a figure is about.
[[nodiscard]] inline bool counts_memory(std::string_view name) {
  constexpr std::array<std::string_view, 6> kParts{"memory", "mem_", "_mem", "alloc", "mpool", "heap"};
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

class MpiVariables {
 public:
  // None where the MPI has none, or does not give them. Between MPI_Init and MPI_Finalize; `leave` comes last.
  using Read = std::vector<MpiVariable> (*)();
  using Leave = void (*)();
  MpiVariables(Read read, Leave leave) : read_(read), leave_(leave) {}

  // At others MPI may be gone. Of those that come again the last one stays.
  void note(Moment moment) {
    if (moment != Moment::after_init && moment != Moment::asked && moment != Moment::at_end) return;
    if (!looks_.empty() && looks_.back().first == moment) looks_.pop_back();
    looks_.emplace_back(moment, read_());
    if (moment == Moment::at_end) leave_();
  }

  [[nodiscard]] record::Table table() const {
    using record::ColumnKind;
    record::Table table(kVariablesTable,
                        {{"moment", ColumnKind::text},
                         {"variable", ColumnKind::text},
                         {"description", ColumnKind::text},
                         {"value", ColumnKind::integer}},
                        record::Summarise::no);
    for (const auto& [moment, variables] : looks_) {
      for (const MpiVariable& one : variables) {
        table.add_row(
            {std::string(kMomentNames[static_cast<std::size_t>(moment)]), one.name, one.description, one.value});
      }
    }
    return table;
  }

 private:
  Read read_;
  Leave leave_;
  std::vector<std::pair<Moment, std::vector<MpiVariable>>> looks_;
};

}  // namespace comity::memory
