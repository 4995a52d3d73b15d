// SPDX-License-Identifier: BSD-3-Clause
// Behind: where a program stands among the words of a launch line's part, behind wrappers that change how it runs (taskset, numactl, env,
// nice, nohup, comity run, comity-rank). Not: the launcher's own options (run/grammar.hpp). Invariant: what is not sure is refused, never guessed: the
// probe in place of a wrapper would tell of a job that nobody starts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace comity::cli {

// The number of the program's word; that of a wrapper that starts nothing. `option` is whose words these are. Throws UsageError, which asks
// for {}, where a wrapper is another one that is known, has an option that is not, or is a shell or an interpreter.
[[nodiscard]] std::size_t program_behind_wrappers(const std::vector<std::string>& words, const std::string& option);

// Whether its first line names an interpreter: such a file may bind what it starts. False for what cannot be read.
[[nodiscard]] bool is_script(const std::string& path);

}  // namespace comity::cli
