# SPDX-License-Identifier: BSD-3-Clause
"""Behind which calls and in which regions the ranks of a job grew, and which places of code hold what in the end."""
import json
import os
import re
import tempfile
import unittest

from memory_job import MEGA, PROGRAM, JobCase, group_of, launch, report, rows_of

SMALL, BLOCKS = 1000, 5000


class Case(JobCase):
    OPTIONS = []

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "out")
            done = launch(["--memory", *cls.OPTIONS, "--record", record])
            assert done.returncode == 0, done.stderr
            cls.memory = json.loads(report(record, "--json"))["memory"]
            cls.ranks, cls.statistics = cls.memory["ranks"], cls.memory["statistics"]
            cls.node_rows, cls.series_rows = rows_of(record, "memory-nodes"), rows_of(record, "memory-series")
            cls.moment_rows, cls.segment_rows = rows_of(record, "memory-moments"), rows_of(record, "memory-segments")
            cls.statistics_rows = rows_of(record, "memory-statistics")
            cls.text, cls.printed = report(record), done.stderr
            cls.seen = {int(rank): {"pss_bytes": int(pss) << 10, "uss_bytes": int(uss) << 10}
                        for rank, pss, uss in re.findall(r"rank (\d) has pss (\d+) uss (\d+)", done.stdout)}
            cls.growth_rows, cls.held_rows, cls.path_rows = (rows_of(record, "memory-" + name) for name in ("growth", "held", "paths"))
            cls.border_rows, cls.region_rows = rows_of(record, "memory-borders"), rows_of(record, "memory-regions")
        assert len(cls.ranks) == 2


class Growth(Case):
    LAUNCHES = 5

    @classmethod
    def setUpClass(cls):
        for _ in range(cls.LAUNCHES):
            super().setUpClass()
            if not cls.was_disturbed():
                return

    @classmethod
    def was_disturbed(cls):
        """Any other job with the same libraries that ends or begins between two looks gives back or takes a part of each page that it shares."""
        for rank in cls.ranks:
            begin, end = (row for row in rank["borders"] if row["region"] == "setup" and row["visit"] == 1)
            for figure in "pss_bytes", "uss_bytes":
                if abs((end["rss_bytes"] - end[figure]) - (begin["rss_bytes"] - begin[figure])) > 0.005 * 40 * MEGA:
                    return True
        return False

    def grown(self, rank, component, region=None, function=None):
        return sum(row["grown_bytes"] for row in self.ranks[rank]["growth"] if row["component"] == component
                   and region in (None, row["region"]) and function in (None, row["function"]))

    def test_a_region_has_what_grew_in_it(self):
        for rank in 0, 1:
            self.near(self.grown(rank, "application", "setup"), 40 * MEGA)
            self.assertGreaterEqual(self.grown(rank, "total", "setup"), 40 * MEGA - 65536)
            self.assertLess(self.grown(rank, "mpi", "setup"), MEGA)

    def test_so_has_the_program_between_calls(self):
        for rank in 0, 1:
            self.near(self.grown(rank, "application", "setup", "(between calls)"), 40 * MEGA)

    def test_a_call_has_what_became_resident_inside_it(self):
        self.near(self.grown(1, "application", "exchange", "MPI_Bcast"), 32 * MEGA)
        self.assertLess(self.grown(0, "application", "exchange"), MEGA)

    def test_a_level_is_a_region_and_owners_are_told_apart_in_it(self):
        for rank in 0, 1:
            self.near(self.grown(rank, "mpi", "MPI_Pcontrol(3)"), 24 * MEGA)
            self.assertLess(self.grown(rank, "application", "MPI_Pcontrol(3)"), MEGA)

    def test_calls_that_make_something_have_what_they_made(self):
        for rank in 0, 1:
            self.assertGreater(self.grown(rank, "mpi", "duplicates", "MPI_Comm_dup"), 80 * 500)

    def visit(self, rank, region):
        """The looks at a region's first visit: the one where it began, and where it ended."""
        begin, end = (row for row in self.ranks[rank]["borders"] if row["region"] == region and row["visit"] == 1)
        self.assertEqual((begin["border"], end["border"]), ("begin", "end"))
        self.assertLess(begin["at_s"], end["at_s"])
        return begin, end

    def test_at_the_borders_of_a_region_all_mappings_are_asked(self):
        for rank in 0, 1:
            begin, end = self.visit(rank, "setup")
            for figure in "rss_bytes", "pss_bytes", "uss_bytes":
                self.near(end[figure] - begin[figure], 40 * MEGA)
            self.near(end["components"]["application"] - begin["components"].get("application", 0), 40 * MEGA)
            self.assertLess(abs(end["components"]["mpi"] - begin["components"]["mpi"]), MEGA)
            begin, end = self.visit(rank, "exchange")
            self.near(end["components"]["application"] - begin["components"]["application"], 32 * MEGA * rank)
            begin, end = self.visit(rank, "(run)")
            last = self.ranks[rank]["totals"][-1]
            self.assertEqual((end["pss_bytes"], end["uss_bytes"]), (last["pss_bytes"], last["uss_bytes"]))

    def test_what_a_region_changed_is_summed_up(self):
        for number, rank in enumerate(self.ranks):
            begin, end = self.visit(number, "setup")
            setup, = (row for row in rank["regions"] if row["region"] == "setup")
            self.assertEqual((setup["visits"], setup["looked_at"]), (1, 1))
            self.near(setup["changed_pss_bytes"], 40 * MEGA)
            self.assertEqual((setup["first_pss_bytes"], setup["last_pss_bytes"]), (begin["pss_bytes"], end["pss_bytes"]))
            self.near(setup["changed_application_bytes"], 40 * MEGA)
            self.assertEqual(setup["last_pss_bytes"] - setup["first_pss_bytes"], setup["changed_pss_bytes"])
        for page in self.text, self.printed:
            self.assertRegex(page, r"\n  at borders of regions \[MiB, .*\n.* region\n +\S.* 1 +1 +[01]  setup\n")
        self.assertEqual(len(self.border_rows), sum(len(rank["borders"]) for rank in self.ranks))
        self.assertEqual(int(self.border_rows[0]["components_mpi_bytes"]), self.ranks[0]["borders"][0]["components"]["mpi"])
        self.assertEqual(len(self.region_rows), sum(len(rank["regions"]) for rank in self.ranks))
        self.assertEqual(int(self.region_rows[0]["last_uss_bytes"]), self.ranks[0]["regions"][0]["last_uss_bytes"])

    def test_a_node_has_what_its_ranks_have_together(self):
        node, = self.memory["nodes"]
        self.assertEqual((node["node"], node["ranks"], node["first_rank"]), (0, 2, 0))
        self.assertEqual(node["peak_sum_bytes"], sum(rank["peak_rss_bytes"] for rank in self.ranks))
        for name, figures in node["components"].items():
            self.assertEqual(figures["last_bytes"], sum(rank["components"].get(name, {"last_bytes": 0})["last_bytes"] for rank in self.ranks))
        ends = [rank["totals"][-1] for rank in self.ranks]
        self.near(node["last_bytes"], sum(end["pss_bytes"] + end["hugetlb_bytes"] for end in ends))
        self.assertEqual([total["moment"] for total in node["totals"]], [total["moment"] for total in self.ranks[0]["totals"][1:]])
        for total in node["totals"]:
            self.assertGreater(total["total_bytes"], total["free_bytes"])
        self.assertIn(("0", "2", "total", str(node["last_bytes"])),
                      [(row["node"], row["ranks"], row["component"], row["last_bytes"]) for row in self.node_rows])
        for page in self.text, self.printed:
            self.assertRegex(page, r"\n  by node \[MiB\] .*\n  \S+ +2      0 ")
            self.assertRegex(page, r"\n  least memory was available on \S+, (before|after|at|asked) .*: \d+\.\d\d of \d+\.\d\d MiB\n")

    def test_at_each_look_at_all_pages_components_come_to_what_the_kernel_tells(self):
        for rank in self.ranks:
            looks = 0
            for total in rank["totals"]:
                rows = [row for row in rank["moments"] if row["moment"] == total["moment"]]
                self.assertEqual(bool(rows), total["pss_bytes"] is not None, total["moment"])
                if not rows:
                    continue
                looks += 1
                for figure in "pss_bytes", "uss_bytes":
                    self.near(sum(row[figure] for row in rows), total[figure])
                self.assertAlmostEqual(sum(row["shared_clean_bytes"] + row["shared_dirty_bytes"] for row in rows), total["shared_bytes"],
                                       delta=max(total["pss_bytes"] / 100, 8 * 65536), msg="a look is repeated only where its PSS is off")
                for row in rows:
                    self.assertLessEqual(row["uss_bytes"], row["pss_bytes"] + 65536)
                    self.assertLessEqual(row["pss_bytes"], row["rss_bytes"] + 65536)
            self.assertGreaterEqual(looks, 2, "after MPI_Init, and at the end")
        self.assertEqual([(int(row["rank"]), row["moment"], row["component"], int(row["pss_bytes"])) for row in self.moment_rows],
                         [(rank["rank"], row["moment"], row["component"], row["pss_bytes"]) for rank in self.ranks for row in rank["moments"]])
        for page in self.text, self.printed:
            self.assertRegex(page, r"\n  component +RSS +PSS +USS +clean +dirty +swap +locked\n(  \S.*\n)*?  mpi +\d")

    def comes_to(self, told, seen, looks):
        """What the program was told itself a moment before, and what Comity's look took between."""
        self.assertGreaterEqual(told, seen - max(seen / 100, 65536))
        self.assertLessEqual(told, seen + max(seen / 100, 65536) + looks)

    def test_at_the_end_components_come_to_what_the_kernel_has_told_the_program_itself(self):
        in_all = 0
        for number, rank in enumerate(self.ranks):
            looks = self.grown(number, "total", function="(Comity)")
            self.assertLess(looks, 2 * MEGA, "else it would say little")
            rows = [row for row in rank["moments"] if row["moment"] == "at the end"]
            for figure, seen in self.seen[number].items():
                self.comes_to(sum(row[figure] for row in rows), seen, looks)
            last = sum(component["last_bytes"] for name, component in rank["components"].items() if name != "page_tables")
            self.comes_to(last - rank["totals"][-1]["hugetlb_bytes"], self.seen[number]["pss_bytes"], looks)
            in_all += looks
        self.comes_to(self.memory["nodes"][0]["last_bytes"], sum(seen["pss_bytes"] for seen in self.seen.values()), in_all)

    def test_page_and_report_tell_one_peak_of_comity(self):
        lines = [[line for line in page.splitlines() if line.startswith("  comity ")] for page in (self.text, self.printed)]
        self.assertGreaterEqual(len(lines[0]), 3)
        self.assertEqual(*lines)

    def test_what_only_a_record_tells_has_no_column_on_the_page(self):
        self.assertRegex(self.text, r"\n  by node .*application  at one time  peaks, sum\n")
        self.assertRegex(self.printed, r"\n  by node .*application   peaks, sum\n")

    def test_page_tables_are_a_component_beside(self):
        for rank in self.ranks:
            self.assertGreater(rank["components"]["page_tables"]["last_bytes"], 65536)
            self.assertEqual(rank["components"]["page_tables"]["last_bytes"], rank["totals"][-1]["page_table_bytes"])

    def test_what_is_not_attributed_is_told_always(self):
        for page in self.text, self.printed:
            self.assertRegex(page, r"\n  not attributed of what all mappings have \(PSS\): [0-4]\.\d\d % at the most, on rank [01], (after|at) ")

    def test_what_ranks_share_is_told_by_segment_and_maker(self):
        segments = self.memory["segments"]
        self.assertIn(2, [segment["ranks"] for segment in segments if segment["maker"] in ("mpi", "fabric", "pmix", "support")], segments)
        for segment in segments:
            self.assertLessEqual(segment["pss_bytes"], segment["rss_bytes"] + 65536)
            self.assertLessEqual(segment["rss_bytes"], segment["ranks"] * segment["mapped_bytes"])
        self.assertEqual([(row["segment"], int(row["pss_bytes"])) for row in self.segment_rows],
                         [(segment["segment"], segment["pss_bytes"]) for segment in segments])

    def test_what_ranks_had_together_is_of_one_moment(self):
        most = self.memory["together"]["most"]
        self.assertEqual(most, self.memory["nodes"][0]["at_one_moment"])
        self.assertEqual(most["ranks"], 2)
        self.assertLessEqual(most["total_bytes"], sum(rank["peak_rss_bytes"] for rank in self.ranks))
        self.assertGreater(most["total_bytes"], 20 * MEGA)
        self.assertRegex(self.text, r"\n  together most at one moment, \d+\.\d{3} s after the first sample: \d+\.\d\d MiB of 2 ranks; ")

    def test_each_component_has_a_line_over_the_run(self):
        lines = self.memory["together"]["bytes"]
        self.assertLessEqual({"total", "mpi", "application", "comity"}, set(lines))
        self.assertEqual({len(line) for line in lines.values()}, {len(self.memory["together"]["times_s"])})
        self.assertEqual({row["component"] for row in self.series_rows}, set(lines))

    def test_a_peak_has_its_rank_and_what_was_running(self):
        application = self.statistics["application"]
        self.assertEqual([(application[which]["rank"], application[which]["bytes"]) for which in ("most", "least")],
                         [(rank, self.ranks[rank]["components"]["application"]["peak_bytes"]) for rank in (1, 0)])
        self.assertEqual((application["most"]["function"], application["most"]["region"]), ("MPI_Bcast", "exchange"))
        self.assertEqual(application["most"]["host"], self.ranks[1]["host"])
        self.near(application["mean_bytes"], (application["most"]["bytes"] + application["least"]["bytes"]) / 2)
        self.near(application["sd_bytes"], (application["most"]["bytes"] - application["least"]["bytes"]) / 2)
        total = self.statistics["total"]["most"]
        self.assertEqual(total["bytes"], max(rank["peak_rss_bytes"] for rank in self.ranks))
        self.assertGreater(total["at_s"], application["most"]["at_s"])
        row = next(row for row in self.statistics_rows if row["component"] == "application")
        self.assertEqual((int(row["most_bytes"]), row["most_function"]), (application["most"]["bytes"], "MPI_Bcast"))
        self.assertRegex(self.text, r"\n  application +most +7\d\.\d\d +1  \S+ +\d+\.\d{3}  MPI_Bcast in exchange\n")

    def test_what_there_was_before_the_run_is_told(self):
        for text in self.text, self.printed:
            self.assertRegex(text, r"\n  at load +\d.*\n  before MPI_Init +\d.*\n  after MPI_Init +\d")
        for rank in self.ranks:
            totals = {total["moment"]: total["rss_bytes"] for total in rank["totals"]}
            self.assertGreater(totals["at load"], 0)
            self.assertLess(totals["at load"], totals["before MPI_Init"])
            at_load, before_init, after_init = rank["totals"][:3]
            self.assertEqual({name for name, bytes_told in at_load.items() if bytes_told is not None}, {"moment", "rss_bytes", "virtual_bytes"})
            self.assertIsNone(before_init["pss_bytes"], "nobody asked for all mappings then")
            self.assertIsNotNone(before_init["swap_bytes"])
            self.assertNotIn(None, after_init.values())
            self.assertLess(totals["before MPI_Init"], totals["after MPI_Init"])

    def test_each_row_says_how_often_and_how_much_at_once(self):
        for rank in self.ranks:
            self.assertTrue(rank["growth"])
            for row in rank["growth"]:
                self.assertGreaterEqual(row["times"], 1)
                self.assertLessEqual(row["largest_bytes"], row["grown_bytes"])
                self.assertLessEqual(row["grown_bytes"], row["times"] * row["largest_bytes"])
                self.assertGreaterEqual(row["shrunk_bytes"], 0)

    def test_the_text_names_most_first_and_no_more_than_ten(self):
        lines = self.text.split("MiB  rank  seen behind\n")[1].split("\n\n")[0].splitlines()
        rows = [line for line in lines if not line.startswith("  and ")]
        self.assertLessEqual(len(rows), 10)
        self.assertRegex(rows[0], r"^ +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d +\d+ +\d+\.\d\d +[01]  \S")
        self.assertTrue(any(line.endswith("(between calls) in setup") for line in rows), rows)
        grown = [float(line.split()[0]) for line in rows]
        self.assertEqual(grown, sorted(grown, reverse=True))

    def test_rows_for_a_spreadsheet_are_the_same(self):
        self.assertEqual(len(self.growth_rows), sum(len(rank["growth"]) for rank in self.ranks))
        self.assertEqual(int(self.growth_rows[0]["grown_bytes"]), self.ranks[0]["growth"][0]["grown_bytes"])


class Held(Case):
    def test_places_of_code_hold_what_they_have_not_given_back(self):
        for rank in self.ranks:
            held = {row["place"]: row for row in rank["held"] if row["component"] == "application"}
            most = [row for row in held.values() if row["bytes"] >= MEGA]
            self.assertEqual([(row["bytes"], row["blocks"]) for row in most], [(BLOCKS * SMALL, BLOCKS), (3 * MEGA, 1)])
            self.assertTrue(most[0]["place"].startswith(os.path.basename(PROGRAM) + "+0x"))
            self.assertRegex(most[1]["place"], r"\+0x[0-9a-f]+ \(hold_a_large_block\+0x[0-9a-f]+\)$")

    def test_places_come_to_what_a_component_holds(self):
        for rank in self.ranks:
            for name, figures in rank["components"].items():
                if name in ("comity", "libc", "unknown") or figures["held_bytes"] < 65536:
                    continue  # Comity works on while it looks
                told = sum(row["bytes"] for row in rank["held"] if row["component"] == name)
                self.near(told, figures["held_bytes"])

    def test_small_blocks_are_found(self):
        """Of MPI's own there are thousands, small and large."""
        for rank in self.ranks:
            held = rank["components"]["mpi"]["held_bytes"]
            found = sum(row["bytes"] for row in rank["held"] if row["component"] == "mpi" and row["place"] != "(elsewhere)")
            self.assertGreater(found, held / 2)

    def test_the_text_names_them(self):
        self.assertRegex(self.text, r"asked for and not given back when ranks were last asked \[MiB, all ranks\]: \w+ \d")
        self.assertRegex(self.text, r"\n +6\.00 +2  application +\S+\+0x\w+ \(hold_a_large_block\+0x\w+\)\n")

    def test_paths_are_told_on_demand(self):
        self.assertEqual([rank["paths"] for rank in self.ranks], [[], []])
        self.assertEqual(self.path_rows, [])
        for text in self.text, self.printed:
            self.assertNotIn("grew by call path", text)

    def test_rows_for_a_spreadsheet_are_the_same(self):
        self.assertEqual(len(self.held_rows), sum(len(rank["held"]) for rank in self.ranks))
        self.assertEqual(int(self.held_rows[0]["bytes"]), self.ranks[0]["held"][0]["bytes"])


class Named(Case):
    """Of the main program the linker has no name: its blocks counted for the application, whatever a rule said of it."""

    @classmethod
    def setUpClass(cls):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as rules:
            rules.write("model = memory_grower-*\n")
            rules.flush()
            os.environ["COMITY_MEMORY_RULES"] = rules.name
            super().setUpClass()

    def test_a_rule_may_name_the_main_program(self):
        for rank in self.ranks:
            self.near(rank["components"]["model"]["held_bytes"], BLOCKS * SMALL + 3 * MEGA)
            self.near(self.statistics["model"]["least"]["bytes"], 40 * MEGA)
            self.assertLess(rank["components"].get("application", {"held_bytes": 0})["held_bytes"], 65536)


class Room(Case):
    """A record of the least room: peaks and leaks are in it, of other things what there is most of."""
    OPTIONS = ["--paths", "--record-budget", "64"]

    def test_no_peak_is_lost(self):
        for rank in self.ranks:
            application = rank["components"]["application"]
            self.assertGreaterEqual(application["peak_bytes"], 40 * MEGA)
            self.assertGreater(rank["totals"][-1]["pss_bytes"], 0)
            self.assertEqual(rank["totals"][-1]["moment"], "at the end")
            self.assertGreater(rank["peak_seen_at_ns"], 0)
        most = self.statistics["application"]["most"]
        self.assertEqual((most["function"], most["region"]), ("MPI_Bcast", "exchange"))

    def test_no_leak_is_lost(self):
        made = {(row["kind"], row["function"]): row for row in self.memory["objects"]}
        self.assertEqual(made["communicator", "MPI_Comm_dup"]["live"], 200)
        for rank in self.ranks:
            held = [row for row in rank["held"] if row["component"] == "application"]
            self.assertEqual([row["bytes"] for row in held[:2]], [BLOCKS * SMALL, 3 * MEGA])
            for name, figures in rank["components"].items():
                if name in ("comity", "libc", "unknown"):
                    continue
                self.near(sum(row["bytes"] for row in rank["held"] if row["component"] == name), figures["held_bytes"])

    def test_what_is_in_short_is_named_and_has_what_grew_most(self):
        for rank in self.ranks:
            self.assertLessEqual({"growth", "moments"}, set(rank["in_short"]))
            self.assertLessEqual({row["moment"] for row in rank["moments"]}, {"at the end"})
            self.assertIn(("application", "setup"), [(row["component"], row["region"]) for row in rank["growth"]])
        self.assertRegex(self.text, r"told in short or left out, for want of room, on 2 ranks: [a-z, ]*growth")


class Paths(Case):
    OPTIONS = ["--paths"]

    @staticmethod
    def sums(rank, component, *functions):
        """(most, last, asked, times) of a component's paths through these functions."""
        paths = [row for row in rank["paths"] if row["component"] == component
                 and all(any(f"({function}+0x" in frame for frame in row["path"]) for function in functions)]
        return tuple(sum(row[key] for row in paths) for key in ("most_bytes", "last_bytes", "asked_bytes", "times"))

    def test_a_path_has_what_it_asked_for_and_has_not_given_back(self):
        for rank in self.ranks:
            whole = BLOCKS * SMALL
            # Two places in main call it, so there are two paths, each with its own most.
            self.assertEqual(self.sums(rank, "application", "hold_small_blocks", "main"), (2 * whole, whole, 2 * whole, 2 * BLOCKS))
            self.assertEqual(self.sums(rank, "application", "hold_a_large_block", "main"), (3 * MEGA, 3 * MEGA, 3 * MEGA, 1))

    def test_what_came_and_went_has_its_most(self):
        for rank in self.ranks:
            most, last, asked, times = self.sums(rank, "application", "main")
            self.assertEqual(most, (40 + 32 + 3) * MEGA + 2 * BLOCKS * SMALL)
            self.assertEqual(last, 3 * MEGA + BLOCKS * SMALL)
            self.assertEqual(asked, (40 + 32 + 3) * MEGA + 2 * BLOCKS * SMALL)
            self.assertEqual(times, 2 + 1 + 2 * BLOCKS)

    def entered_by(self, rank, function):
        """MPI's own, where the program called that function in main."""
        return [row for row in rank["paths"] if row["component"] == "mpi" and len(row["path"]) > 1
                and any(f"MPI_{function}+0x" in frame for frame in row["path"]) and "(main+0x" in row["path"][-1]]

    def test_mpis_own_is_told_by_the_program_that_called_it(self):
        for rank in self.ranks:
            blocks = self.entered_by(rank, "Alloc_mem")
            self.near(max(row["most_bytes"] for row in blocks), 24 * MEGA)
            self.assertLess(max(row["last_bytes"] for row in blocks), MEGA)
            duplicates = self.entered_by(rank, "Comm_dup")
            self.assertGreater(sum(row["last_bytes"] for row in duplicates), 80 * 500)
            self.assertGreaterEqual(max(row["times"] for row in duplicates), 100)

    def test_comity_stands_in_no_path_of_another(self):
        for rank in self.ranks:
            for row in rank["paths"]:
                if row["component"] != "comity":
                    self.assertFalse([frame for frame in row["path"] if frame.startswith("libcomity_preload")], row)

    def test_what_is_held_is_told_by_path_too(self):
        for rank in self.ranks:
            held = [row for row in rank["held"] if row["component"] == "application" and "(hold_small_blocks+0x" in row["place"]]
            self.assertEqual(sum(row["bytes"] for row in held), BLOCKS * SMALL)
            for row in held:
                self.assertRegex(row["place"], r" < \S+ \(main\+0x")

    def test_the_text_names_them(self):
        for text in self.text, self.printed:
            self.assertRegex(text, r"grew by call path \[MiB, all ranks, each rank's most of its own moment\]\n")
            self.assertRegex(text, r"\n +80\.00 +0\.00 +80\.00 +2  application +\S+\+0x\w+ \(main\+0x\w+\)\n|"
                                   r"\n +80\.00 +0\.00 +80\.00 +2  application +\S+ < \S+\+0x\w+ \(main\+0x\w+\)\n")

    def test_rows_for_a_spreadsheet_are_the_same(self):
        self.assertEqual(len(self.path_rows), sum(len(rank["paths"]) for rank in self.ranks))
        self.assertEqual(int(self.path_rows[0]["most_bytes"]), self.ranks[0]["paths"][0]["most_bytes"])
        self.assertEqual(self.path_rows[0]["path"], " < ".join(self.ranks[0]["paths"][0]["path"]))


def load_tests(loader, tests, _pattern):
    return group_of(globals(), loader, tests)


if __name__ == "__main__":
    unittest.main()
