// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/absence.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "mpi/launched.hpp"
#include "mpi/tags.hpp"

namespace comity::mpi {
namespace {

using Ranks = std::vector<int>;

constexpr int kLossWords = sizeof(Loss) / sizeof(std::int64_t);

// Errors of a communicator come back while it lives: the user's may end the job.
class ErrorsReturn {
 public:
  explicit ErrorsReturn(MPI_Comm communicator) : communicator_(communicator) {
    MPI_Comm_get_errhandler(communicator, &before_);
    MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;
  ~ErrorsReturn() {
    MPI_Comm_set_errhandler(communicator_, before_);
    MPI_Errhandler_free(&before_);
  }

 private:
  MPI_Comm communicator_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

// Appends what it has begun to send.
void start_telling(MPI_Comm communicator, int tag, std::span<const int> nearby, const Loss& loss,
                   std::vector<MPI_Request>& sent) {
  const ErrorsReturn errors(communicator);
  int own = 0;
  int size = 0;
  MPI_Comm_rank(communicator, &own);
  MPI_Comm_size(communicator, &size);
  for (int other = 0; other < size; ++other) {
    if (other == own || std::ranges::binary_search(nearby, other)) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Isend(&loss, kLossWords, MPI_INT64_T, other, tag, communicator, &request) == MPI_SUCCESS)
      sent.push_back(request);
  }
}

}  // namespace

std::optional<std::vector<int>> Absence::missing() {
  const auto launched_here = launched(own_number());
  if (!launched_here) return std::nullopt;
  const Ranks numbers = numbers_of_ranks(lines_.any());
  int job_size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &job_size);
  const bool all_are_here = launched_here->started == job_size;
  const auto is_here = [&](int rank) {
    return all_are_here || std::ranges::binary_search(here_, rank) ||
           launched_here->is_here(numbers[static_cast<std::size_t>(rank)]);
  };
  const int awaited = static_cast<int>(numbers.size());
  Ranks ended;
  Ranks near;
  for (int rank = 0; rank < awaited; ++rank) {
    const int number = numbers[static_cast<std::size_t>(rank)];
    if (number == MPI_UNDEFINED || !is_here(rank)) continue;
    near.push_back(rank);
    if (!launched_here->has(number)) ended.push_back(number);
  }
  near_ = std::move(near);
  const bool some_may_be_unknown = here_.empty() && !all_are_here && ended.empty();
  if (some_may_be_unknown && awaited == job_size && !launched_here->all_live()) ended.push_back(kUnknown);
  return ended;
}

bool Absence::hear_from(int source, MPI_Comm communicator, int tag) {
  int waits = 0;
  MPI_Status sender;
  if (MPI_Iprobe(source, tag, communicator, &waits, &sender) != MPI_SUCCESS || waits == 0) return false;
  int words = 0;
  MPI_Get_count(&sender, MPI_INT64_T, &words);
  if (words != kLossWords) return false;  // the program's own
  Loss loss{.mark = 0};
  const int code = MPI_Recv(&loss, kLossWords, MPI_INT64_T, sender.MPI_SOURCE, tag, communicator, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return false;
  was_told_ = loss.mark == Loss::kMark && loss.mark_again == Loss::kMark;
  if (was_told_) suspect_ = static_cast<int>(loss.rank);
  return was_told_;
}

// On the user's communicator a message of the program may lie before a loss that another rank tells: each is asked for alone.
bool Absence::hear() {
  if (lines_.ours != MPI_COMM_NULL && hear_from(MPI_ANY_SOURCE, lines_.ours, kLostTag)) return true;
  if (lines_.users == MPI_COMM_NULL) return false;
  const ErrorsReturn errors(lines_.users);
  int size = 0;
  MPI_Comm_size(lines_.users, &size);
  for (int source = 0; source < size; ++source) {
    if (hear_from(source, lines_.users, largest_tag())) return true;
  }
  return false;
}

// One that is missing for the second time, whoever else has ended since: those who were told may be gone already. A look that
// tells nothing, as when a process is just ending, takes nothing back.
bool Absence::found() {
  if (hear()) return true;
  try {
    std::optional<Ranks> now = missing();
    if (!now) return false;
    const auto again = std::ranges::find_first_of(missed_, *now);
    if (again != missed_.end()) suspect_ = *again;
    missed_ = std::move(*now);
  } catch (const std::bad_alloc&) {
    return false;  // who has no memory to look goes on waiting
  }
  return suspect_ != kNobody;
}

void tell_of_loss(const Lines& lines, std::span<const int> nearby, const Loss& loss) {
  using namespace std::chrono_literals;
  int size = 0;
  MPI_Comm_size(lines.any(), &size);
  std::vector<MPI_Request> sent;
  try {
    sent.reserve(2 * static_cast<std::size_t>(size));
  } catch (const std::bad_alloc&) {
    return;  // they wait in MPI, as they would without Comity
  }
  if (lines.ours != MPI_COMM_NULL) start_telling(lines.ours, kLostTag, nearby, loss, sent);
  if (lines.users != MPI_COMM_NULL) start_telling(lines.users, largest_tag(), nearby, loss, sent);
  // Some may first have to be connected to, which MPI does while it is called. Who has ended there gets nothing.
  int done = 0;
  const auto end = std::chrono::steady_clock::now() + 200ms;
  while (done == 0 && std::chrono::steady_clock::now() < end) {
    if (MPI_Testall(static_cast<int>(sent.size()), sent.data(), &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS) return;
    if (done == 0) std::this_thread::sleep_for(100us);
  }
}

}  // namespace comity::mpi
