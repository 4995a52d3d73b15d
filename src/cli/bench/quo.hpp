// SPDX-License-Identifier: BSD-3-Clause
// `comity bench quo`: what each call of a context costs, held against the floor that the machine or the MPI sets (QUOBench,
// 003_... 5.1.1, Fig. 5.1). Its program: bench/quo.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/measure/places.hpp"
#include "cli/bench/measure/samples.hpp"
#include "cli/bench/options.hpp"
#include "cli/bench/show/report.hpp"

namespace comity::cli::bench {

inline constexpr std::string_view kBesideOriginal = "_beside_original";  // ends the name of such a row

// What a case has to reach at so many ranks of this MPI; some floors hold only where every rank has a core.
[[nodiscard]] std::optional<Goal> quo_goal(const std::string& name, const std::string& mpi, int ranks, int cores);

// A case of one of the places: growth is held against a job of one rank's, and the full node stands for no MPI.
[[nodiscard]] Row quo_row(const Place& place, const Samples& one, const std::vector<Place>& places, int cores);

// Where the case has a figure of the original libquo: ours held against it in the same launches, that of our libquo where there
// is one, else the case's own. Goal: no dearer by more than 20 ns.
[[nodiscard]] std::optional<Row> row_beside_original(const Place& place, const Samples& one);

// A sentence on those rows.
[[nodiscard]] std::string compare_with_original(const std::vector<Row>& rows);

[[nodiscard]] Report quo(const Options& options);

}  // namespace comity::cli::bench
