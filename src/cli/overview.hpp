// SPDX-License-Identifier: BSD-3-Clause
// What the command says of itself as a whole, for its overview and for its manual page alike.
#pragma once

#include <array>
#include <string_view>

#include "cli/common/arguments.hpp"

namespace comity::cli {

inline constexpr std::string_view kPurpose =
    "Comity lets every phase of a coupled MPI+X program use every core of the node.";

inline constexpr std::string_view kExitCodes =
    "The exit code is 0 if all is well, 1 if there are findings or the command could not do what was asked, 2 if its "
    "words made no sense.";

inline constexpr std::array kOverviewExamples{
    Example{"comity topo", "what hardware is here"},
    Example{"comity run -- mpirun ..", "a program with Comity's library in its ranks"},
    Example{"comity top", "what the ranks of running jobs do now"},
    Example{"comity memory watch PID", "whose the memory of a process is"},
    Example{"comity topo --job", "which rank of the running job is bound where"},
    Example{"comity doctor", "is this machine fit for a coupled run"},
};

}  // namespace comity::cli
