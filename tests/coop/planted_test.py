# SPDX-License-Identifier: BSD-3-Clause
"""Programs that compare what they get find a wrapper that is wrong: each mistake of planted/ gives other sums, or ends the job."""
import os
import unittest

from sleeping import GIVEN_UP_S, LAUNCH, PROGRAM, Jobs

LIBRARY = os.environ["COMITY_PLANTED"]
PLANTED = {
    "Receives": ("recv_byte", "recv_status", "recv_code", "recv_order"),
    "Probes": ("probe_status", "probe_code", "mprobe_status", "mrecv_byte", "mrecv_status", "iprobe_status", "improbe_status"),
    "Sends": ("send_byte", "send_code", "ssend_byte", "ssend_code", "rsend_byte", "bsend_byte"),
    "StartedSends": ("isend_byte", "issend_byte", "ibsend_byte"),
    "StartedReceives": ("irsend_byte", "irecv_buffer", "imrecv_buffer", "set_errhandler_skipped"),
    "Exchanges": ("sendrecv_byte", "sendrecv_status", "sendrecv_code", "replace_byte", "replace_status", "replace_code"),
    "Wait": ("wait_status", "wait_cancelled", "wait_request", "start_code", "startall_code"),
    "WaitMany": ("waitall_order", "waitall_status", "waitall_cancelled", "waitany_index", "waitany_status"),
    "WaitSome": ("waitany_cancelled", "waitsome_count", "waitsome_order", "waitsome_cancelled"),
    "Test": ("test_status", "test_cancelled", "test_request", "test_early"),
    "TestAll": ("testall_order", "testall_status", "testall_cancelled", "testall_early"),
    "TestAny": ("testany_index", "testany_status", "testany_cancelled", "testany_early"),
    "TestSome": ("testsome_count", "testsome_order", "testsome_cancelled", "testsome_early"),
    "Requests": ("get_status_status", "get_status_code", "get_status_early", "request_free_handle"),
    "OwnRequests": ("grequest_complete_code", "grequest_complete_skipped"),
    "LargeCounts": ("send_c_byte", "recv_c_byte", "recv_c_status", "sendrecv_c_status", "mrecv_c_byte", "bcast_c_byte",
                    "allreduce_c_byte", "replace_c_byte"),
    "StartedLargeCounts": ("isend_c_byte", "irecv_c_buffer", "isendrecv_byte", "isendrecv_replace_byte"),
    "Partitioned": ("parrived_code", "psend_byte", "precv_buffer", "pready_early", "pready_code", "pready_range_code", "pready_list_code"),
    "Persistent": ("bcast_init_short", "allreduce_init_early", "alltoall_init_short"),
    # Open MPI 4.1 has none of oneself.
    "LostCodes": ("wait_code", "waitall_code", "waitany_code", "waitsome_code"),
    "LostAnswers": ("test_code", "testall_code", "testany_code", "testsome_code"),
    "OneToAll": ("barrier_code", "bcast_byte", "bcast_code", "reduce_byte", "gather_byte", "gatherv_byte",
                 "scatter_byte", "scatterv_byte"),
    "AllToAll": ("allreduce_skipped", "allgather_byte", "allgatherv_byte", "alltoall_byte", "alltoallv_byte",
                 "alltoallw_skipped"),
    "OtherCollectives": ("scan_exclusive", "reduce_scatter_byte", "reduce_scatter_block_byte", "finalize_code"),
    "StartedOneToAll": ("ibcast_byte", "igather_byte", "igatherv_byte", "iscatter_byte", "iscatterv_place", "ireduce_op"),
    "StartedAllToAll": ("iallgather_byte", "iallgatherv_byte", "ialltoall_byte", "ialltoallv_place", "ialltoallw_place"),
    "StartedReductions": ("iallreduce_short", "ireduce_scatter_op", "ireduce_scatter_block_op", "iscan_byte"),
    "Neighbours": ("neighbor_allgather_byte", "neighbor_allgatherv_byte", "neighbor_alltoall_skipped", "neighbor_alltoallv_byte",
                   "neighbor_alltoallw_skipped"),
    "StartedNeighbours": ("ineighbor_allgather_byte", "ineighbor_allgatherv_byte", "ineighbor_alltoall_byte", "ineighbor_alltoallv_place",
                          "ineighbor_alltoallw_place"),
    # One rank cannot get the order wrong, and waits for nobody.
    "Alone": ("barrier_skipped", "ibarrier_alone", "iexscan_inclusive"),
    "TwinsWithInfo": ("idup_with_info_order", "parrived_early"),
    "OfTwo": ("iprobe_early", "allreduce_in_place", "exscan_inclusive", "split_order", "merge_order", "set_view_place"),
    "Makers": ("dup_order", "dup_attributes", "dup_with_info_order", "idup_order", "create_all", "split_type_order", "intercomm_code"),
    "Topologies": ("cart_order", "cart_sub_whole", "graph_topology", "adjacent_order"),
    "OfThree": ("create_order", "create_group_alone", "dist_graph_ends"),  # a ring of two looks alike both ways, and half of two is one
    "Ends": ("free_skipped", "free_handle", "disconnect_handle"),
    "DrawnFiles": ("set_view_code", "file_write_all_byte", "write_ordered_byte", "iwrite_all_byte", "iwrite_at_all_byte",
                   "write_at_all_begin_byte", "read_at_all_byte", "read_all_status"),
    "MoreFiles": ("read_ordered_byte", "read_all_begin_short", "iread_all_short", "seek_shared_code", "set_size_bytes", "preallocate_skipped",
                  "atomicity_code", "set_info_code"),
    "FileBegins": ("read_at_all_begin_short", "read_ordered_begin_short", "write_all_begin_byte", "write_ordered_begin_byte"),
    "Windows": ("win_create_code", "win_allocate_code", "win_allocate_shared_code", "win_create_dynamic_code", "win_free_code",
                "win_free_handle"),
    "Epochs": ("fence_skipped", "fence_code", "post_code", "start_epoch_code", "complete_code"),
    "EndsOfEpochs": ("win_wait_skipped", "win_wait_code", "win_test_early", "win_test_code"),
    "Locks": ("lock_code", "unlock_code", "lock_all_code", "unlock_all_code", "flush_code", "flush_all_code"),
    "WindowOperations": ("put_byte", "get_place", "fetch_twice", "accumulate_byte", "accumulate_replaces", "accumulate_code",
                         "get_accumulate_adds_nothing", "compare_always"),
    "WindowRequests": ("rput_byte", "rput_code", "rget_place", "raccumulate_replaces", "rget_accumulate_adds_nothing"),
    "Files": ("open_code", "write_all_byte", "write_all_status", "write_all_code", "read_all_place", "sync_code", "close_code"),
}
GROUP = os.environ["COMITY_GROUP"]
SEED = os.environ.get("COMITY_SEED") or "9"  # each mistake shows in these programs: nothing here is left to chance
IN_THE_FOLDER = os.environ.get("COMITY_WRITES")  # programs/shared, which writes a file
PATIENCE_S = 20  # with a job that a mistake may keep waiting
FEW, MANY = os.environ["COMITY_PROGRAMS"], "400"


class Planted(Jobs):
    def told(self, programs, *before):
        """How a job ends, and what its programs gave; one that waits for ever has ended as no other."""
        of_shared = (programs, os.path.join(self.folder, IN_THE_FOLDER or ""))
        line = (*LAUNCH, *before, PROGRAM, *(of_shared if IN_THE_FOLDER else (SEED, programs)))
        try:
            code, said, _ = self.run_job(*line, given_up_s=PATIENCE_S if before else GIVEN_UP_S)
        except self.failureException:
            if not before:
                raise
            return None, ""
        return code, said

    @staticmethod
    def tell(mistake, bare, spoilt):
        """How often it shows, so that one which is hard to find is seen."""
        rows, others = (job[1].splitlines() for job in (bare, spoilt))
        others += [None] * len(rows)  # the job has ended before
        told = sum(row != other for row, other in zip(rows, others))
        ends = "hangs" if spoilt[0] is None else f"status {spoilt[0]}"
        print(f"{mistake}: {told} of {len(rows)} lines, {ends}", flush=True)

    def test_each_is_found(self):
        print(f"COMITY_SEED={SEED}", flush=True)
        load = ("env", f"LD_PRELOAD={LIBRARY}")
        bare = {FEW: self.told(FEW)}
        self.assertEqual(bare[FEW][0], 0)
        self.assertTrue(self.told(FEW, *load) == bare[FEW], "the wrappers change something without a mistake")
        for mistake in PLANTED[GROUP]:
            with self.subTest(mistake):
                spoilt = self.told(FEW, *load, f"PLANTED={mistake}")
                self.tell(mistake, bare[FEW], spoilt)
                if spoilt != bare[FEW]:
                    continue
                if MANY not in bare:
                    bare[MANY] = self.told(MANY)
                found = self.told(MANY, *load, f"PLANTED={mistake}") != bare[MANY]
                self.assertTrue(found, f"PLANTED={mistake} gives what correct wrappers give")


if __name__ == "__main__":
    unittest.main()
