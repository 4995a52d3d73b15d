// SPDX-License-Identifier: BSD-3-Clause
// The MPI library that is really loaded, behind this one.
#pragma once

#include <string>

namespace comity::interpose {

// The function that the libraries behind this one mean by a name, null where none has it.
[[nodiscard]] void* find_function(const std::string& name);

// The same for what must be there. Where a program calls what its MPI does not have, the process ends as it would
// without us: a line that names the function, and exit code 127.
[[nodiscard]] void* real_function(const std::string& name);

// The object that the whole process means by a name: a program may hold the one and only copy of a library's.
[[nodiscard]] void* real_object(const std::string& name);

// Whether another tool of MPI's profiling interface stands behind us: then MPI_x of that name is not the library's own.
[[nodiscard]] bool has_tool_behind(const std::string& name);

// Whether what is said once a job is to be said here: rank 0, as launchers tell it before MPI does.
[[nodiscard]] bool may_speak_for_the_job();

// False, and one line a job says so, under another MPI: its handles have other sizes, so every call goes straight on.
[[nodiscard]] bool is_the_mpi_that_we_were_built_for();

// Whether any call of MPI has come here yet.
[[nodiscard]] bool has_been_called() noexcept;

}  // namespace comity::interpose
