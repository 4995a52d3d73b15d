// SPDX-License-Identifier: BSD-3-Clause
// The hosts that the nodes of a plan are: a list of the user's, or the job's allocation (Slurm, PBS). A list that
// disagrees with the allocation, or with the nodes, is an error.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "place/hosts.hpp"
#include "place/site.hpp"

namespace comity::cli {

using EnvironmentLookup = std::function<std::optional<std::string>(std::string_view name)>;

// Of `word`, a file or the hosts themselves; "": of the allocation, none where there is none. A host of the list has as many slots as
// the allocation counts for it (PBS; Slurm, where somebody asked for tasks), unless the list says otherwise, and no more than it allows:
// PBS's slots, Slurm's CPUs; of a job with more tasks than CPUs as many as the CPUs. Throws Error, naming the list.
[[nodiscard]] std::vector<place::Host> read_hosts(const std::string& word, const EnvironmentLookup& lookup);

enum class ThreadsLie : std::uint8_t { together, spread, spread_unequal };  // of ranks that differ: a place is a core

// For how many threads nodes are spread (site.hpp) where ranks have so many, a place's.
[[nodiscard]] std::uint32_t spread_width(const place::NodeShape& shape, std::uint32_t threads, ThreadsLie lie);

enum class SlotsTake : std::uint8_t { first_cores, any_cores };  // of their node, which then has as many ranks at most

// The nodes without the cores that the hosts' slots leave no rank for, spread (site.hpp) if threads are to be. Throws Error where the
// hosts are not as many as the nodes, or a list gives them more slots than hardware threads; a job's are cut to these.
[[nodiscard]] std::vector<place::NodeRun> with_slots(const std::vector<place::NodeRun>& nodes,
                                                     const std::vector<place::Host>& hosts, std::uint32_t threads,
                                                     ThreadsLie lie = ThreadsLie::together,
                                                     SlotsTake take = SlotsTake::first_cores);

}  // namespace comity::cli
