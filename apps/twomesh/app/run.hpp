// SPDX-License-Identifier: BSD-3-Clause
// Run: what words and a file ask for, and what is published at the end. Shared by twomesh and by its driver in Fortran.
#pragma once

#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/command_line.hpp"
#include "app/config.hpp"
#include "app/result.hpp"
#include "coupling/simulation.hpp"

namespace twomesh::app {

inline constexpr int kChecksFailed = 1;
inline constexpr int kBadUsage = 2;
inline constexpr int kBrokeOff = 3;

// Collective, as are all that read or look at files. Throws ConfigError, FileError.
[[nodiscard]] Config read_config(const CommandLine& words);
[[nodiscard]] std::optional<nlohmann::ordered_json> read_expected(const std::string& path);
// The result's files can be written, are two, and are none of those that are read.
void require_files(const CommandLine& words);

[[nodiscard]] coupling::SimulationOptions simulation_options(const CommandLine& words, const Config& config);

// On the rank that speaks.
void publish(const Result& result, const CommandLine& words);

// Prints the text on the rank that speaks; returns the status.
int say(const std::string& text, std::FILE* where, int status, bool speaker);

// Collective. The status that `body` returns, or that of what it throws, with its sentence; a failure that may be one
// rank's alone ends the job.
int guarded(const std::function<int(bool speaker)>& body);

}  // namespace twomesh::app
