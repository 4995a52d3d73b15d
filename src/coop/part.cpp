// SPDX-License-Identifier: BSD-3-Clause
#include "coop/part.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::coop {
namespace {

namespace real = interpose::real;

constexpr int kTag = 0;

void require_parted(int code) {
  if (code != MPI_SUCCESS)
    throw Error(Status::mpi, "bring the ranks that wait cooperatively together: MPI reports an error");
}

MPI_Comm make(MPI_Comm from, std::span<const int> ranks) {
  MPI_Group all;
  MPI_Group some;
  MPI_Comm made;
  require_parted(real::MPI_Comm_group(from, &all));
  require_parted(real::MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some));
  const int code = real::MPI_Comm_create_group(from, some, kTag, &made);
  real::MPI_Group_free(&some);
  real::MPI_Group_free(&all);
  require_parted(code);
  return made;
}

}  // namespace

OwnCommunicator::~OwnCommunicator() {
  if (!is_kept_) real::MPI_Comm_free(&communicator_);
}

MPI_Comm make_communicator(const Party& party) {
  const MPI_Comm world = interpose::handles().world;
  if (!party.is_whole) return make(world, party.ranks);
  MPI_Comm twin;
  require_parted(real::MPI_Comm_dup(world, &twin));
  return twin;
}

MPI_Comm make_part(MPI_Comm all, const Party& party, std::span<const std::int32_t> world_ranks) {
  std::vector<int> ranks(world_ranks.begin(), world_ranks.end());
  if (!party.is_whole) {
    for (int& rank : ranks) {
      rank = static_cast<int>(std::ranges::lower_bound(party.ranks, rank) - party.ranks.begin());
    }
  }
  return make(all, ranks);
}

}  // namespace comity::coop
