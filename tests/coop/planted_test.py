# SPDX-License-Identifier: BSD-3-Clause
"""Programs that compare what they get find a wrapper that is wrong: each mistake of planted/ gives other sums, or ends the job."""
import os
import unittest

from sleeping import LAUNCH, PROGRAM, Jobs

LIBRARY = os.environ["COMITY_PLANTED"]
PLANTED = {
    "Receives": ("recv_byte", "recv_status", "recv_code", "recv_order"),
    "Probes": ("probe_status", "probe_code", "mprobe_status", "mrecv_byte", "mrecv_status"),
    "Sends": ("send_byte", "send_code", "ssend_byte", "ssend_code", "rsend_byte", "bsend_byte"),
    "StartedSends": ("isend_byte", "issend_byte", "ibsend_byte"),
    "Exchanges": ("sendrecv_byte", "sendrecv_status", "sendrecv_code", "replace_byte", "replace_status", "replace_code"),
    "Wait": ("wait_status", "wait_cancelled", "wait_request", "start_code", "startall_code"),
    "WaitMany": ("waitall_order", "waitall_status", "waitall_cancelled", "waitany_index", "waitany_status"),
    "WaitSome": ("waitany_cancelled", "waitsome_count", "waitsome_order", "waitsome_cancelled"),
    "LargeCounts": ("send_c_byte", "recv_c_byte", "recv_c_status", "sendrecv_c_status", "mrecv_c_byte", "bcast_c_byte",
                    "allreduce_c_byte", "psend_byte"),
    "LostCodes": ("wait_code", "waitall_code", "waitany_code", "waitsome_code"),  # Open MPI 4.1 has none of oneself
    "OneToAll": ("barrier_code", "barrier_skipped", "bcast_byte", "bcast_code", "reduce_byte", "gather_byte", "gatherv_byte",
                 "scatter_byte", "scatterv_byte"),
    "AllToAll": ("allreduce_skipped", "allgather_byte", "allgatherv_byte", "alltoall_byte", "alltoallv_byte",
                 "alltoallw_skipped"),
    "OtherCollectives": ("scan_exclusive", "reduce_scatter_byte", "neighbor_skipped", "iallreduce_short", "finalize_code"),
    "OfTwo": ("allreduce_in_place", "split_order", "dup_order", "merge_order", "cart_order",
              "exscan_inclusive"),  # one rank cannot get them wrong
    "Windows": ("win_create_code", "win_free_code", "fence_skipped", "fence_code", "post_code", "complete_code", "win_wait_skipped",
                "win_wait_code", "lock_code", "unlock_code", "flush_code", "put_byte", "get_place", "fetch_twice"),
    "Files": ("open_code", "write_all_byte", "write_all_status", "write_all_code", "read_all_place", "sync_code", "close_code"),
}
GROUP = os.environ["COMITY_GROUP"]
SEED = "9"  # each mistake shows in these programs: nothing here is left to chance
IN_THE_FOLDER = os.environ.get("COMITY_WRITES")  # programs/shared, which writes a file
FEW, MANY = os.environ["COMITY_PROGRAMS"], "400"


class Planted(Jobs):
    def told(self, programs, *before):
        """How a job ends, and what its programs gave."""
        of_shared = (programs, os.path.join(self.folder, IN_THE_FOLDER or ""))
        code, said, _ = self.run_job(*LAUNCH, *before, PROGRAM, *(of_shared if IN_THE_FOLDER else (SEED, programs)))
        return code, said

    def test_each_is_found(self):
        load = ("env", f"LD_PRELOAD={LIBRARY}")
        bare = {FEW: self.told(FEW)}
        self.assertEqual(bare[FEW][0], 0)
        self.assertTrue(self.told(FEW, *load) == bare[FEW], "the wrappers change something without a mistake")
        for mistake in PLANTED[GROUP]:
            with self.subTest(mistake):
                if self.told(FEW, *load, f"PLANTED={mistake}") != bare[FEW]:
                    continue
                if MANY not in bare:
                    bare[MANY] = self.told(MANY)
                found = self.told(MANY, *load, f"PLANTED={mistake}") != bare[MANY]
                self.assertTrue(found, f"PLANTED={mistake} gives what correct wrappers give")


if __name__ == "__main__":
    unittest.main()
