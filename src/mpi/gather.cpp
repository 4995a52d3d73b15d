// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/gather.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "mpi/patience.hpp"
#include "mpi/tags.hpp"

namespace comity::mpi {
namespace {

class Gather {
 public:
  Gather(std::size_t block_bytes, void* all, const Circle& circle, Absence& who)
      : block_bytes_(block_bytes),
        all_(static_cast<std::byte*>(all)),
        circle_(circle),
        who_(who),
        own_(circle.own()),
        size_(circle.size()) {}

  comity_status run(const void* mine) {
    std::memcpy(block(own_), mine, block_bytes_);
    comity_status status = COMITY_OK;
    for (int have = 1; have < size_ && status == COMITY_OK; have *= 2) status = pass_on(have);
    return status;
  }

 private:
  using Requests = std::array<MPI_Request, 4>;

  [[nodiscard]] std::byte* block(int place) const { return all_ + static_cast<std::size_t>(place) * block_bytes_; }

  // I have the blocks of `have` places, from mine upwards. Who is `have` below me gets as many of them as it lacks, and as many
  // come from who is `have` above.
  comity_status pass_on(int have) {
    const int count = std::min(have, size_ - have);
    const int above = (own_ + have) % size_;
    const int below = (own_ + size_ - have) % size_;
    const MPI_Comm communicator = circle_.communicator();
    Requests requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int code = start_pieces(above, count, &requests[0], [&](void* piece, int bytes, MPI_Request* request) {
      return MPI_Irecv(piece, bytes, MPI_BYTE, circle_.rank(above), kGatherTag, communicator, request);
    });
    if (code == MPI_SUCCESS) {
      code = start_pieces(own_, count, &requests[2], [&](void* piece, int bytes, MPI_Request* request) {
        return MPI_Isend(piece, bytes, MPI_BYTE, circle_.rank(below), kGatherTag, communicator, request);
      });
    }
    return finish(requests, code == MPI_SUCCESS ? COMITY_OK : COMITY_ERR_MPI);
  }

  // The blocks of `count` places from `first` on. Places count round, so they may lie in two pieces.
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
  const Circle& circle_;
  Absence& who_;
  int own_;
  int size_;
};

}  // namespace

comity_status gather_blocks(const void* mine, std::size_t block_bytes, void* all, const Circle& circle, Absence& who) {
  return Gather(block_bytes, all, circle, who).run(mine);
}

}  // namespace comity::mpi
