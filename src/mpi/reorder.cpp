// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/reorder.hpp"

#include <comity/comity_mpi.h>

#include <memory>
#include <new>
#include <vector>

#include "mpi/report.hpp"

namespace comity::mpi {
namespace {

struct Answer {
  comity_place_seat seat;
  std::uint64_t question;
};

comity_status could_not_reorder() {
  return report(COMITY_ERR_MPI, "reorder a communicator: an MPI call failed; see MPI's own message");
}

// A context tells it, which lives no longer than this.
comity_status find_seat(MPI_Comm communicator, comity_place_seat& seat) {
  comity_context* context = nullptr;
  comity_status status = comity_context_create(communicator, &context);
  if (status != COMITY_OK) return status;
  status = comity_context_seat(context, &seat);
  const comity_status freed = comity_context_free(&context);
  return status == COMITY_OK ? freed : status;
}

comity_status ask(const std::vector<Answer>& answers, const FindOrder& find_order, std::vector<std::int32_t>& order) {
  std::vector<comity_place_seat> seats;
  seats.reserve(answers.size());
  for (const Answer& one : answers) {
    if (one.question != answers.front().question) {
      return report(
          COMITY_ERR_ARGUMENT,
          "reorder a communicator: its ranks ask for different grids or objectives, or some with weights and some "
          "without; pass the same on all");
    }
    seats.push_back(one.seat);
  }
  return find_order(static_cast<std::int32_t>(seats.size()), seats.data(), order.data());
}

comity_status ask_without_throwing(const std::vector<Answer>& answers, const FindOrder& find_order,
                                   std::vector<std::int32_t>& order) {
  try {
    return ask(answers, find_order, order);
  } catch (const std::bad_alloc&) {
    return report_no_memory();
  }
}

// How good the order is, of each level: what this thread of rank 0 knows, and then all ranks.
using Figures = std::vector<comity_place_figures>;  // COMITY_PLACE_LEVELS of them, those that the order has first

comity_status look_up(Figures& figures) {
  comity_status status = comity_place_found(0, figures.data());
  for (std::int32_t level = 1; status == COMITY_OK && level < figures.front().levels; ++level) {
    status = comity_place_found(level, &figures[static_cast<std::size_t>(level)]);
  }
  return status;
}

comity_status tell_all(Job& job, Figures& figures) {
  MPI_Request request = MPI_REQUEST_NULL;
  const auto bytes = static_cast<int>(figures.size() * sizeof(comity_place_figures));
  const int code = MPI_Ibcast(figures.data(), bytes, MPI_BYTE, 0, job.everybody.get(), &request);
  const comity_status told = wait_for(job, code, request);
  if (told == COMITY_ERR_PEER_LOST) return leave_to_mpi(figures);
  if (told != COMITY_OK) return could_not_reorder();
  return comity_place_report(figures.front().levels, figures.data());
}

comity_status make(Job& job, std::vector<std::int32_t>& order, Communicator& reordered) {
  MPI_Request request = MPI_REQUEST_NULL;
  const auto ranks = static_cast<int>(order.size());
  int code = MPI_Ibcast(order.data(), ranks, MPI_INT32_T, 0, job.everybody.get(), &request);
  const comity_status told = wait_for(job, code, request);
  if (told == COMITY_ERR_PEER_LOST) return leave_to_mpi(order);
  if (told != COMITY_OK) return could_not_reorder();
  const std::int32_t mine = order[static_cast<std::size_t>(job.everybody.rank())];
  const int colour = mine < 0 ? MPI_UNDEFINED : 0;
  code = MPI_Comm_split(job.everybody.get(), colour, mine, reordered.out());
  return code == MPI_SUCCESS ? COMITY_OK : could_not_reorder();
}

}  // namespace

comity_status reorder(MPI_Comm communicator, Job& job, comity_status found, const Question& question,
                      const FindOrder& find_order, Communicator& reordered) {
  // All the memory that this rank needs is there before it tells the others that it goes on.
  const auto ranks = static_cast<std::size_t>(job.everybody.size());
  std::vector<Answer> answers;
  std::vector<std::int32_t> order;
  Figures figures;
  try {
    answers.resize(ranks);
    order.resize(ranks);
    figures.resize(COMITY_PLACE_LEVELS);
  } catch (const std::bad_alloc&) {
    if (found == COMITY_OK) found = report_no_memory();
  }
  comity_status status = agree(job, found);
  if (status != COMITY_OK) return status;

  Answer mine{};
  mine.question = question.hash();
  status = agree(job, find_seat(communicator, mine.seat));
  if (status != COMITY_OK) return status;
  status = gather_from(job, job.all(), &mine, sizeof mine, answers.data());
  if (status == COMITY_ERR_PEER_LOST) return leave_to_mpi(answers);
  if (status != COMITY_OK) return could_not_reorder();
  if (job.everybody.rank() == 0) {
    status = ask_without_throwing(answers, find_order, order);
    if (status == COMITY_OK) status = look_up(figures);
  }
  status = agree(job, status);
  if (status == COMITY_OK) status = tell_all(job, figures);
  return status == COMITY_OK ? make(job, order, reordered) : status;
}

}  // namespace comity::mpi
