# SPDX-License-Identifier: BSD-3-Clause
"""Runs tools/dependencies on machines made of fake programs: the PATH holds only what a test puts there."""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from planted import plant_program

TREE = Path(__file__).resolve().parents[2]
SHELL_TOOLS = ("sh", "cat", "cut", "sed", "grep", "awk", "find", "env", "head")


class Dependencies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.programs = Path(folder.name)
        self.calls = self.programs / "calls"
        for tool in SHELL_TOOLS:
            (self.programs / tool).symlink_to(shutil.which(tool))
        self.fake("ldconfig", "")

    def fake(self, name, body):
        plant_program(self.programs / name, f'echo "{name} $*" >>"{self.calls}"\n{body}')

    def user(self, number):
        self.fake("id", f"echo {number}")

    def debian(self, *installed):
        self.fake("dpkg-query", "\n".join(f'echo "installed {package}"' for package in installed))
        self.fake("apt-get", "exit 0")

    def run_tool(self, *arguments):
        run = subprocess.run(["sh", TREE / "tools/dependencies", *arguments], capture_output=True, text=True, check=False,
                             env={"PATH": str(self.programs)})
        return run.returncode, run.stdout + run.stderr

    def called(self, program):
        lines = self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []
        return [line for line in lines if line.startswith(program + " ")]

    def packages(self, *groups):
        rows = self.run_tool("list", *groups)[1].splitlines()
        return [row.split("|")[1] for row in rows]

    def packages_of_the_path(self, *groups):
        """Those that an empty PATH hides: the system's own python3 is asked for its modules wherever it stands."""
        rows = [row.split("|") for row in self.run_tool("list", *groups)[1].splitlines()]
        return [row[1] for row in rows if not row[2].startswith("module ")]

    def test_root_installs_what_is_missing_and_says_what(self):
        self.user(0)
        self.debian(*[package for package in self.packages("build") if package != "cmake"])
        code, output = self.run_tool("install", "build")
        self.assertEqual(code, 0, output)
        self.assertIn("installs with apt:\n  cmake ", output)
        self.assertEqual(self.called("apt-get"),
                         ["apt-get -q update", "apt-get -q install -y --no-install-recommends cmake"])

    def test_nothing_missing_calls_no_apt_and_says_nothing(self):
        self.user(0)
        self.debian(*self.packages())
        self.assertEqual(self.run_tool("install"), (0, ""))
        self.assertEqual(self.called("apt-get"), [])

    def test_a_user_with_sudo_installs_through_it(self):
        self.user(1000)
        self.debian(*[package for package in self.packages("test") if package != "libgtest-dev"])
        self.fake("sudo", '"$@"')
        code, output = self.run_tool("install", "test")
        self.assertEqual(code, 0, output)
        self.assertEqual(len(self.called("sudo")), 2)
        self.assertIn("libgtest-dev", output)

    def test_a_user_without_sudo_gets_the_list_and_a_stop(self):
        self.user(1000)
        self.debian("cmake")
        code, output = self.run_tool("install", "build")
        self.assertEqual(code, 1)
        self.assertIn("libhwloc-dev", output)
        self.assertNotIn("  cmake ", output)
        self.assertEqual(self.called("apt-get"), [])

    def test_a_machine_without_apt_gets_the_list_and_a_stop(self):
        self.user(0)
        code, output = self.run_tool("install", "build")
        self.assertEqual(code, 1)
        for package in self.packages_of_the_path("build"):
            self.assertIn(f"  {package} ", output)

    def test_a_failing_apt_is_a_stop(self):
        self.user(0)
        self.debian()
        self.fake("apt-get", '[ "$2" = update ]')
        code, output = self.run_tool("install", "test")
        self.assertEqual(code, 1)
        self.assertIn("apt-get could not install them", output)

    def test_a_program_built_by_hand_counts_as_its_package(self):
        self.user(1000)
        before = self.run_tool("missing", "build")[1].split()
        self.fake("cmake", "")
        after = self.run_tool("missing", "build")[1].split()
        self.assertEqual(set(before) - set(after), {"cmake"})

    def test_a_cmake_that_is_too_old_is_a_stop_that_names_both_versions(self):
        self.user(0)
        self.debian(*self.packages())
        need = next(line for line in (TREE / "CMakeLists.txt").read_text(encoding="utf-8").splitlines()
                    if line.startswith("cmake_minimum_required")).split()[1].rstrip(")")
        for have, code in (("3.22.1", 1), ("2.99", 1), (need, 0), (need + ".1", 0), ("3.100.0", 0), ("4.0.2", 0)):
            self.fake("cmake", f"echo cmake version {have}")
            ended, output = self.run_tool("install", "build")
            self.assertEqual(ended, code, (have, output))
            self.assertEqual(f"comity needs CMake {need} or newer, and the cmake on the PATH is {have}" in output, code == 1)

    def test_what_packs_for_debian_is_not_asked_for_elsewhere(self):
        self.user(1000)
        self.assertNotIn("dpkg-dev", self.run_tool("missing", "test")[1].split())
        self.debian()
        self.assertIn("dpkg-dev", self.run_tool("missing", "test")[1].split())

    def test_a_package_that_two_groups_need_is_named_once(self):
        self.user(0)
        self.debian()
        code, output = self.run_tool("install", "test", "package")
        self.assertEqual(code, 0, output)
        self.assertEqual(output.count("  dpkg-dev "), 1, output)
        self.assertEqual(" ".join(self.called("apt-get")).split().count("dpkg-dev"), 1)

    def test_an_unknown_group_is_refused(self):
        code, output = self.run_tool("missing", "tests")
        self.assertEqual(code, 2)
        self.assertIn('no group "tests"', output)

    def test_the_page_of_dependencies_has_a_line_for_each(self):
        page = (TREE / "docs/dependencies.md").read_text(encoding="utf-8")
        packages = self.packages() + self.packages("optional")
        self.assertEqual([package for package in packages if f"`{package}`" not in page], [])

    def test_what_is_optional_is_installed_by_that_name_alone(self):
        self.user(0)
        self.debian(*self.packages())
        self.assertEqual(self.run_tool("missing"), (0, ""))
        self.assertIn("elk-lapw", self.run_tool("missing", "optional")[1].split())
        code, output = self.run_tool("install", "optional")
        self.assertEqual(code, 0, output)
        self.assertIn(" elk-lapw ", self.called("apt-get")[-1] + " ")


if __name__ == "__main__":
    unittest.main()
