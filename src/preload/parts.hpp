// SPDX-License-Identifier: BSD-3-Clause
// What of this library is on in this process, by the settings.
#pragma once

#include <optional>

#include "live/page_writer.hpp"
#include "memory/rank/book.hpp"
#include "metrics/rank/collector.hpp"
#include "os/memory/totals.hpp"
#include "preload/meeting/roll_call.hpp"
#include "preload/watched_run.hpp"

namespace comity::preload {

// Null where this rank does nothing with others. Lives as long as the process.
[[nodiscard]] RollCall* roll_call();
// Null where nobody wants anything of the run. Lives as long as the process.
[[nodiscard]] metrics::Collector* collector();
// Null too where the kernel does not give it.
[[nodiscard]] live::PageWriter* live_page();
// Null where nobody wants to know whose memory it is, or the kernel does not tell. Lives as long as the process.
[[nodiscard]] memory::Book* book();
// What this process had when it was loaded; none where nobody wants to know.
[[nodiscard]] const std::optional<os::Statm>& memory_at_load() noexcept;
// The same of the run that it is measured in.
[[nodiscard]] WatchedRun* watched_run();
// Null as long as nobody has asked for it.
[[nodiscard]] WatchedRun* run_that_is_made() noexcept;

}  // namespace comity::preload
