// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/gather.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "mpi/patience.hpp"

namespace comity::mpi {
namespace {

constexpr int kTag = 0;

class Gather {
 public:
  Gather(std::size_t block_bytes, void* all, MPI_Comm communicator, Absence& who)
      : block_bytes_(block_bytes), all_(static_cast<std::byte*>(all)), communicator_(communicator), who_(who) {
    MPI_Comm_rank(communicator, &rank_);
    MPI_Comm_size(communicator, &size_);
  }

  comity_status run(const void* mine) {
    std::memcpy(block(rank_), mine, block_bytes_);
    comity_status status = COMITY_OK;
    for (int have = 1; have < size_ && status == COMITY_OK; have *= 2) status = pass_on(have);
    return status;
  }

 private:
  using Requests = std::array<MPI_Request, 4>;

  [[nodiscard]] std::byte* block(int rank) const { return all_ + static_cast<std::size_t>(rank) * block_bytes_; }

  // I have the blocks of `have` ranks, from mine upwards. The rank that is `have` below me gets as many of them as it lacks,
  // and as many come from the rank that is `have` above.
  comity_status pass_on(int have) {
    const int count = std::min(have, size_ - have);
    const int above = (rank_ + have) % size_;
    const int below = (rank_ + size_ - have) % size_;
    Requests requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int code = start_pieces(above, count, &requests[0], [&](void* piece, int bytes, MPI_Request* request) {
      return MPI_Irecv(piece, bytes, MPI_BYTE, above, kTag, communicator_, request);
    });
    if (code == MPI_SUCCESS) {
      code = start_pieces(rank_, count, &requests[2], [&](void* piece, int bytes, MPI_Request* request) {
        return MPI_Isend(piece, bytes, MPI_BYTE, below, kTag, communicator_, request);
      });
    }
    return finish(requests, code == MPI_SUCCESS ? COMITY_OK : COMITY_ERR_MPI);
  }

  // The blocks of `count` ranks from `first` on. Ranks count round, so they may lie in two pieces.
  template <typename Start>
  int start_pieces(int first, int count, MPI_Request* requests, Start&& start) {
    const int before_end = std::min(count, size_ - first);
    int code = start(block(first), bytes_of(before_end), &requests[0]);
    if (code == MPI_SUCCESS && before_end < count) code = start(block(0), bytes_of(count - before_end), &requests[1]);
    return code;
  }

  [[nodiscard]] int bytes_of(int blocks) const {
    return static_cast<int>(static_cast<std::size_t>(blocks) * block_bytes_);
  }

  // After a failure nothing more is written into the caller's blocks, as far as that can be had from MPI.
  [[nodiscard]] comity_status finish(Requests& requests, comity_status status) const {
    for (MPI_Request& request : requests) {
      if (status == COMITY_OK) status = wait_patiently(request, who_);
      if (status != COMITY_OK && request != MPI_REQUEST_NULL) {
        MPI_Cancel(&request);
        MPI_Request_free(&request);
      }
    }
    return status;
  }

  std::size_t block_bytes_;
  std::byte* all_;
  MPI_Comm communicator_;
  Absence& who_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

comity_status gather_blocks(const void* mine, std::size_t block_bytes, void* all, MPI_Comm communicator, Absence& who) {
  return Gather(block_bytes, all, communicator, who).run(mine);
}

}  // namespace comity::mpi
