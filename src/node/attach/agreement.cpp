// SPDX-License-Identifier: BSD-3-Clause
#include "node/attach/agreement.hpp"

#include <algorithm>
#include <new>

namespace comity::node {

void Report::set(Outcome how, Status why, std::string_view words) {
  outcome = how;
  status = why;
  message.fill(0);
  std::copy_n(words.begin(), std::min(words.size(), message.size() - 1), message.begin());
}

void note_exception(Report& report, OnError on_error) {
  try {
    throw;
  } catch (const Error& error) {
    const bool final = error.status() == Status::memory || error.status() == Status::version;
    const bool refuse = on_error == OnError::refuse && !final;
    report.set(refuse ? Outcome::refused : Outcome::failed, error.status(), error.what());
  } catch (const std::bad_alloc&) {
    report.set(Outcome::failed, Status::memory, "attach to the node: out of memory");
  } catch (const std::exception& error) {
    report.set(Outcome::failed, Status::internal, error.what());
  }
}

void settle(Bootstrap& bootstrap, const Report& mine, const Report& known) {
  constexpr std::int64_t kRankSpan = std::int64_t{1} << 32U;
  const bool i_failed = mine.outcome == Outcome::failed;
  const std::int64_t code = i_failed ? static_cast<int>(mine.status) * kRankSpan + bootstrap.job_rank() : 0;
  const std::int64_t worst = bootstrap.job_max(code);
  if (worst == 0) return;
  const auto status = static_cast<Status>(worst / kRankSpan);
  if (i_failed && mine.status == status) throw Error(status, mine.words());
  if (known.outcome == Outcome::failed && known.status == status) throw Error(status, known.words());
  throw Error(status, "rank " + std::to_string(worst % kRankSpan) + " of the job failed to share its node: " +
                          std::string(kStatusTable[static_cast<std::size_t>(status)].text));
}

}  // namespace comity::node
