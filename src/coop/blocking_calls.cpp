// SPDX-License-Identifier: BSD-3-Clause
#include "coop/blocking_calls.hpp"

#include <algorithm>
#include <array>

namespace comity::coop {
namespace {

constexpr auto kCalls = std::to_array<BlockingCall>({
    {"MPI_Allgather", Waits::asleep},
    {"MPI_Allgatherv", Waits::asleep},
    {"MPI_Allreduce", Waits::asleep},
    {"MPI_Alltoall", Waits::asleep},
    {"MPI_Alltoallv", Waits::asleep},
    {"MPI_Alltoallw", Waits::asleep},
    {"MPI_Barrier", Waits::asleep},
    {"MPI_Bcast", Waits::asleep},
    {"MPI_Bsend", Waits::never},
    {"MPI_Cart_create", Waits::asleep},
    {"MPI_Cart_sub", Waits::asleep},
    {"MPI_Comm_accept", Waits::in_library},
    {"MPI_Comm_connect", Waits::in_library},
    {"MPI_Comm_create", Waits::asleep},
    {"MPI_Comm_create_from_group", Waits::in_library},
    {"MPI_Comm_create_group", Waits::in_library},
    {"MPI_Comm_disconnect", Waits::in_library},
    {"MPI_Comm_dup", Waits::asleep},
    {"MPI_Comm_dup_with_info", Waits::asleep},
    {"MPI_Comm_free", Waits::in_library},
    {"MPI_Comm_join", Waits::in_library},
    {"MPI_Comm_spawn", Waits::in_library},
    {"MPI_Comm_spawn_multiple", Waits::in_library},
    {"MPI_Comm_split", Waits::asleep},
    {"MPI_Comm_split_type", Waits::asleep},
    {"MPI_Dist_graph_create", Waits::asleep},
    {"MPI_Dist_graph_create_adjacent", Waits::asleep},
    {"MPI_Exscan", Waits::asleep},
    {"MPI_File_close", Waits::asleep},
    {"MPI_File_open", Waits::asleep},
    {"MPI_File_preallocate", Waits::asleep},
    {"MPI_File_read", Waits::never},
    {"MPI_File_read_all", Waits::asleep},
    {"MPI_File_read_all_end", Waits::in_library},
    {"MPI_File_read_at", Waits::never},
    {"MPI_File_read_at_all", Waits::asleep},
    {"MPI_File_read_at_all_end", Waits::in_library},
    {"MPI_File_read_ordered", Waits::asleep},
    {"MPI_File_read_ordered_end", Waits::in_library},
    {"MPI_File_read_shared", Waits::never},
    {"MPI_File_set_size", Waits::asleep},
    {"MPI_File_set_view", Waits::asleep},
    {"MPI_File_sync", Waits::asleep},
    {"MPI_File_write", Waits::never},
    {"MPI_File_write_all", Waits::asleep},
    {"MPI_File_write_all_end", Waits::in_library},
    {"MPI_File_write_at", Waits::never},
    {"MPI_File_write_at_all", Waits::asleep},
    {"MPI_File_write_at_all_end", Waits::in_library},
    {"MPI_File_write_ordered", Waits::asleep},
    {"MPI_File_write_ordered_end", Waits::in_library},
    {"MPI_File_write_shared", Waits::never},
    {"MPI_Finalize", Waits::asleep},
    {"MPI_Gather", Waits::asleep},
    {"MPI_Gatherv", Waits::asleep},
    {"MPI_Graph_create", Waits::asleep},
    {"MPI_Init", Waits::in_library},
    {"MPI_Init_thread", Waits::in_library},
    {"MPI_Intercomm_create", Waits::asleep},
    {"MPI_Intercomm_create_from_groups", Waits::in_library},
    {"MPI_Intercomm_merge", Waits::asleep},
    {"MPI_Mprobe", Waits::asleep},
    {"MPI_Mrecv", Waits::asleep},
    {"MPI_Neighbor_allgather", Waits::asleep},
    {"MPI_Neighbor_allgatherv", Waits::asleep},
    {"MPI_Neighbor_alltoall", Waits::asleep},
    {"MPI_Neighbor_alltoallv", Waits::asleep},
    {"MPI_Neighbor_alltoallw", Waits::asleep},
    {"MPI_Probe", Waits::asleep},
    {"MPI_Recv", Waits::asleep},
    {"MPI_Reduce", Waits::asleep},
    {"MPI_Reduce_scatter", Waits::asleep},
    {"MPI_Reduce_scatter_block", Waits::asleep},
    {"MPI_Rsend", Waits::asleep},
    {"MPI_Scan", Waits::asleep},
    {"MPI_Scatter", Waits::asleep},
    {"MPI_Scatterv", Waits::asleep},
    {"MPI_Send", Waits::asleep},
    {"MPI_Sendrecv", Waits::asleep},
    {"MPI_Sendrecv_replace", Waits::asleep},
    {"MPI_Session_finalize", Waits::in_library},
    {"MPI_Session_init", Waits::in_library},
    {"MPI_Ssend", Waits::asleep},
    {"MPI_Wait", Waits::asleep},
    {"MPI_Waitall", Waits::asleep},
    {"MPI_Waitany", Waits::asleep},
    {"MPI_Waitsome", Waits::asleep},
    {"MPI_Win_allocate", Waits::asleep},
    {"MPI_Win_allocate_shared", Waits::asleep},
    {"MPI_Win_complete", Waits::in_library},
    {"MPI_Win_create", Waits::asleep},
    {"MPI_Win_create_dynamic", Waits::asleep},
    {"MPI_Win_fence", Waits::asleep},
    {"MPI_Win_flush", Waits::in_library},
    {"MPI_Win_flush_all", Waits::in_library},
    {"MPI_Win_flush_local", Waits::in_library},
    {"MPI_Win_flush_local_all", Waits::in_library},
    {"MPI_Win_free", Waits::asleep},
    {"MPI_Win_lock", Waits::in_library},
    {"MPI_Win_lock_all", Waits::in_library},
    {"MPI_Win_start", Waits::in_library},
    {"MPI_Win_unlock", Waits::in_library},
    {"MPI_Win_unlock_all", Waits::in_library},
    {"MPI_Win_wait", Waits::asleep},
});
static_assert(std::ranges::is_sorted(kCalls, {}, &BlockingCall::name));

constexpr std::string_view kLargeCounts = "_c";

}  // namespace

std::span<const BlockingCall> blocking_calls() { return kCalls; }

Waits waits_in(std::string_view name) {
  if (name.ends_with(kLargeCounts)) name.remove_suffix(kLargeCounts.size());
  const auto* const found = std::ranges::lower_bound(kCalls, name, {}, &BlockingCall::name);
  return found != kCalls.end() && found->name == name ? found->waits : Waits::never;
}

}  // namespace comity::coop
