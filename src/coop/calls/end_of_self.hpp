// SPDX-License-Identifier: BSD-3-Clause
// EndOfSelf: where the ranks of a job meet at its end. MPI_Finalize first deletes what is attached to MPI_COMM_SELF, the latest first, and there
// functions of the program run, of whatever language, that may exchange something with ranks which have not come there yet. So the first thing
// attached is ours: its delete function runs when those are over.
#pragma once

namespace comity::coop {

// At the end of MPI_Init.
void attach_to_self() noexcept;
// False: it could not be attached.
[[nodiscard]] bool self_tells_its_end() noexcept;
// All ranks of the job wait for one another, asleep, in MPI_Finalize.
void meet_at_the_end() noexcept;

}  // namespace comity::coop
