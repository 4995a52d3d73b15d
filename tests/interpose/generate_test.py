# SPDX-License-Identifier: BSD-3-Clause
"""What writes the wrappers: which functions it finds, what it takes their arguments for, and when it ends the build.

    generate_test.py -- started by ctest with COMITY_GENERATOR (its folder) and COMITY_CC set"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GENERATOR = Path(os.environ["COMITY_GENERATOR"])
sys.path.insert(0, str(GENERATOR))

import calls  # noqa: E402  (found beside the generator)
import generate  # noqa: E402

HEADER = """
typedef struct one *MPI_Comm; typedef struct two *MPI_Datatype; typedef struct three MPI_Status;
int MPI_Init(int *argc, char ***argv);
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                  void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
int MPI_Group_range_incl(int n, int ranges[][3]);
int MPI_Pcontrol(const int level, ...);
double MPI_Wtime(void);
int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPIX_Extension(void);
"""
NAMES = ["MPI_Init", "MPI_Send", "MPI_Alltoallw", "MPI_Group_range_incl", "MPI_Pcontrol", "MPI_Wtime"]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.header = self.folder / "header.i"
        self.header.write_text(HEADER)

    def library(self, names):
        source = self.folder / "mpi.c"
        source.write_text("".join(f"int {prefix}{name}(void) {{ return 0; }}\n" for name in names for prefix in ("", "P")))
        library = self.folder / "libmpi.so"
        subprocess.run([os.environ["COMITY_CC"], "-shared", "-fPIC", "-o", library, source], check=True)
        return library

    def generate(self, names, exceptions=""):
        exceptions_file = self.folder / "exceptions.txt"
        exceptions_file.write_text(exceptions)
        return subprocess.run([sys.executable, "-B", GENERATOR / "generate.py", "--header", self.header, "--libraries",
                               self.library(names), "--exceptions", exceptions_file, "--into", self.folder / "out"],
                              capture_output=True, text=True, check=False)


class Coverage(Case):
    def test_what_the_header_declares_is_enough(self):
        done = self.generate(NAMES)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_function_that_nobody_declares_ends_the_build_by_name(self):
        done = self.generate([*NAMES, "MPI_Newcomer"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("MPI_Newcomer, PMPI_Newcomer", done.stderr)

    def test_an_exception_excuses_it_and_is_not_wrapped(self):
        done = self.generate([*NAMES, "MPI_Newcomer"], "# why\nMPI_New*  for a reason\nMPI_Wtime  for another\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        written = "".join(path.read_text() for path in (self.folder / "out").glob("doors_*.cpp"))
        self.assertNotIn("MPI_Newcomer", written)
        self.assertNotIn("MPI_Wtime", written)
        self.assertIn('__asm__("PMPI_Send")', written)

    def test_a_library_that_is_no_mpi_is_told(self):
        done = self.generate(["MPI_Send"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("no MPI_Init", done.stderr)


class Arguments(Case):
    def test_types_and_names_are_those_of_the_header(self):
        functions = generate.declared_functions(self.header)
        self.assertEqual(sorted(functions), sorted(NAMES))
        self.assertEqual(functions["MPI_Group_range_incl"].parameters, ["int n", "int ranges[][3]"])
        self.assertEqual(functions["MPI_Group_range_incl"].types, ["int", "int (*)[3]"])
        self.assertEqual(functions["MPI_Wtime"].parameters, [])
        self.assertEqual(len(functions["MPI_Pcontrol"].parameters), 1 + calls.VARIADIC_WORDS)

    def test_places_follow_from_names(self):
        function = generate.declared_functions(self.header)["MPI_Alltoallw"]
        self.assertEqual(calls.describe("MPI_Alltoallw", function.arguments, function.types),
                         '{.name = "MPI_Alltoallw", .kind = Kind::collective, .rule = Rule::alltoall, .blocking = true, '
                         '.leaf = false, .own_code = false, .at = {.buffer = 0, .count = 1, .type = 3, .other_buffer = 4, .other_count = 5, .other_type = 7, '
                         '.communicator = 8}, .each = {.count = true, .other_count = true, .type = true}}')

    def test_an_argument_of_another_type_means_something_else(self):
        for name, arguments, types, place in (
                ("MPI_Topo_test", ["comm", "status"], ["MPI_Comm", "int *"], "status"),
                ("MPI_Comm_free", ["comm"], ["MPI_Comm *"], "communicator"),
                ("MPI_Win_create", ["comm", "win"], ["MPI_Comm", "MPI_Win *"], "window"),
                ("MPI_Pready", ["partition", "request"], ["int", "MPI_Request"], "request"),
                ("MPI_Cancel", ["request"], ["MPI_Request *"], "request")):
            with self.subTest(name=name):
                self.assertNotIn(f".{place} =", calls.describe(name, arguments, types))

    def test_a_call_that_makes_a_communicator_of_another_has_that_one(self):
        for name, old, new in (
                ("MPI_Comm_dup", "comm", "newcomm"), ("MPI_Cart_create", "old_comm", "comm_cart"),
                ("MPI_Graph_create", "comm_old", "comm_graph"), ("MPI_Intercomm_merge", "intercomm", "newintracomm")):
            with self.subTest(name=name):
                self.assertIn(".at = {.communicator = 0, .made = 2}", calls.describe(name, [old, "high", new], ["MPI_Comm", "int", "MPI_Comm *"]))

    def test_large_counts_are_told_by_their_type(self):
        arguments = ["buf", "partitions", "count", "datatype", "dest"]
        large = calls.describe("MPI_Precv_init", arguments, ["void *", "int", "MPI_Count", "MPI_Datatype", "int"])
        self.assertIn(".from = 4, .partitions = 1}, .large = true}", large, "its source, which MPICH calls dest")
        self.assertNotIn(".large", calls.describe("MPI_Send", arguments, ["void *", "int", "int", "MPI_Datatype", "int"]))


class Kinds(unittest.TestCase):
    def test_each_form_is_of_its_kind(self):
        for name, kind, blocking in (
                ("MPI_Init", "begin", True), ("MPI_Init_thread", "begin", True), ("MPI_Initialized", "local", False),
                ("MPI_Info_create", "local", False), ("MPI_Isend", "send", False), ("MPI_Ssend", "send", True),
                ("MPI_Irecv_c", "receive", False), ("MPI_Mprobe", "probe", True), ("MPI_Improbe", "probe", False),
                ("MPI_Testsome", "completion", False), ("MPI_Buffer_detach", "completion", True), ("MPI_Waitany", "completion", True),
                ("MPI_Test_cancelled", "local", False), ("MPI_Ibarrier", "collective", False),
                ("MPI_Allreduce_init", "setup", False), ("MPI_Start", "start", False), ("MPI_Rput", "one_sided", False),
                ("MPI_Win_fence", "epoch", True), ("MPI_Win_test", "epoch", False), ("MPI_Comm_idup", "maker", False),
                ("MPI_Comm_split", "maker", True), ("MPI_Intercomm_create", "maker", True), ("MPI_Comm_free", "maker", True),
                ("MPI_File_iread_at_all", "file", False), ("MPI_File_write_all_begin", "file", True),
                ("MPI_File_write_all_end", "file", True), ("MPI_Reduce_local", "local", False),
                ("MPI_T_init_thread", "local", False), ("MPI_Abort", "end", False), ("MPI_Finalize", "end", True)):
            with self.subTest(name=name):
                row = calls.describe(name, [])
                self.assertIn(f"Kind::{kind},", row)
                self.assertIn(f".blocking = {str(blocking).lower()}", row)

    def test_leaves_are_those_inside_which_mpi_calls_nothing(self):
        for name, leaf in (("MPI_Isend", True), ("MPI_Waitall", False), ("MPI_Sendrecv_replace", False), ("MPI_Mprobe", True), ("MPI_Comm_rank", True), ("MPI_Wtime", True),
                           ("MPI_Comm_dup", False), ("MPI_File_read", False), ("MPI_Allreduce", False),
                           ("MPI_Type_create_struct", False)):
            with self.subTest(name=name):
                self.assertIn(f".leaf = {str(leaf).lower()}", calls.describe(name, []))

    def test_bytes_are_counted_by_the_rule_of_the_plain_form(self):
        for name, rule in (("MPI_Ineighbor_alltoallv_c", "neighbor_alltoall"), ("MPI_Raccumulate", "put"),
                           ("MPI_File_read_at", "read"), ("MPI_File_iwrite_shared", "write"), ("MPI_File_read_all_end", "read"), ("MPI_File_write_all_end", "none"),
                           ("MPI_Win_free", "free_window"), ("MPI_Iexscan", "all"), ("MPI_Get_count", "none"),
                           ("MPI_Allreduce_init", "all"), ("MPI_Neighbor_alltoallw_init_c", "neighbor_alltoall"), ("MPI_Rsend_init", "send"),
                           ("MPI_Psend_init", "send"), ("MPI_Precv_init", "partitioned"), ("MPI_Barrier_init", "none")):
            with self.subTest(name=name):
                self.assertIn(f"Rule::{rule},", calls.describe(name, []))

    def test_objects_are_made_and_ended_where_their_handles_are(self):
        handle = "MPI_Comm *"
        for name, types, told in (
                ("MPI_Comm_dup", ["MPI_Comm", handle], "communicator, ObjectAct::makes, 1"),
                ("MPI_Comm_idup", ["MPI_Comm", handle, "MPI_Request *"], "communicator, ObjectAct::makes, 1"),
                ("MPI_Comm_disconnect", [handle], "communicator, ObjectAct::ends, 0"),
                ("MPI_Type_struct", ["int", "int *", "MPI_Aint *", "MPI_Datatype *", "MPI_Datatype *"], "datatype, ObjectAct::makes, 4"),
                ("MPI_Type_vector_c", ["MPI_Count", "MPI_Datatype", "MPI_Datatype *"], "datatype, ObjectAct::makes, 2"),
                ("MPI_Alltoall_init", ["MPI_Comm", "MPI_Info", "MPI_Request *"], "request, ObjectAct::makes, 2"),
                ("MPI_Win_create_keyval", ["void *", "void *", "int *", "void *"], "keyval, ObjectAct::makes, 2"),
                ("MPI_Alloc_mem", ["MPI_Aint", "MPI_Info", "void *"], "memory, ObjectAct::makes, 2"),
                ("MPI_Free_mem", ["void *"], "memory, ObjectAct::ends, 0")):
            with self.subTest(name=name):
                self.assertTrue(calls.describe(name, [""] * len(types), types).endswith(f", .object = {{ObjectKind::{told}}}}}"),
                                calls.describe(name, [""] * len(types), types))

    def test_local_calls_that_have_the_mpi_keep_something_are_marked(self):
        made = {"Type": "MPI_Datatype *", "Info": "MPI_Info *", "Group": "MPI_Group *", "Send": "MPI_Request *", "Comm": "MPI_Comm *", "Alloc": "void *"}
        for name, keeps in (
                ("MPI_Type_create_hindexed_block", True), ("MPI_Type_free", True), ("MPI_Type_commit", True), ("MPI_Type_size", False),
                ("MPI_Info_create", True), ("MPI_Info_set", True), ("MPI_Info_get", False), ("MPI_Group_incl", True), ("MPI_Group_rank", False),
                ("MPI_Send_init", True), ("MPI_Comm_set_attr", True), ("MPI_Comm_get_attr", False), ("MPI_Comm_dup", False), ("MPI_Alloc_mem", False)):
            with self.subTest(name=name):
                kind = made[name.split("_")[1]]
                self.assertEqual(".keeps = true" in calls.describe(name, ["", ""], ["int", kind]), keeps)

    def test_other_handles_are_nobodys_to_free(self):
        for name, types in (("MPI_Isend", ["MPI_Comm", "MPI_Request *"]), ("MPI_Comm_get_parent", ["MPI_Comm *"]),
                            ("MPI_Type_create_f90_real", ["int", "int", "MPI_Datatype *"]), ("MPI_Wait", ["MPI_Request *", "MPI_Status *"]),
                            ("MPI_Type_get_contents", ["MPI_Datatype", "int", "MPI_Datatype *"])):
            with self.subTest(name=name):
                self.assertNotIn(".object", calls.describe(name, [""] * len(types), types))


if __name__ == "__main__":
    unittest.main()
