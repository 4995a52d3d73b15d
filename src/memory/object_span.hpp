// SPDX-License-Identifier: BSD-3-Clause
// How much memory an object takes once it is loaded: its program header says so. The kernel's maps do not: what an object
// has beside its file's pages (.bss) is an anonymous mapping behind them, which grows together with whatever else is
// mapped next to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "os/memory/areas.hpp"

namespace comity::memory {

// [bytes] From its lowest page to behind its highest, of the first bytes of an executable file of this machine's kind.
// None: it is none, or its headers are not among these bytes.
[[nodiscard]] std::optional<std::uint64_t> object_span(std::span<const std::byte> begin);

// The same of the file that the area maps, as the process that lives under that folder of /proc sees it. None, too, where
// the file is not there any more: then its name ends in " (deleted)". Its inode is not compared: file systems in layers
// show two of one file.
[[nodiscard]] std::optional<std::uint64_t> object_span(const os::Area& area, const std::string& process_folder);

}  // namespace comity::memory
