# SPDX-License-Identifier: BSD-3-Clause
"""Plants each kind of violation in a small tree and expects tools/layers to name its file and line."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LAYERS = Path(__file__).resolve().parents[2] / "tools" / "layers"
TABLE = """# Architecture

```layers
7  compat/quo
3  context ledger
2  node
1  os machine
0  base
```
"""


class Layers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "ARCHITECTURE.md").write_text(TABLE, encoding="utf-8")
        for part in ("base", "os", "machine", "node", "context", "ledger", "compat/quo"):
            (self.root / "src" / part).mkdir(parents=True)

    def plant(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self):
        run = subprocess.run([sys.executable, LAYERS, self.root], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def assert_names(self, *words):
        code, output = self.check()
        self.assertEqual(code, 1, output)
        for word in words:
            self.assertIn(word, output)

    def assert_clean(self):
        code, output = self.check()
        self.assertEqual(code, 0, output)
        return output

    def test_a_part_that_includes_itself_and_lower_lines_is_clean(self):
        self.plant("src/context/context.cpp", '#include "context/context.hpp"\n#include "node/segment.hpp"\n')
        self.plant("src/node/segment.cpp", '#include <base/error.hpp>\n#include <vector>\n#include <comity/error.h>\n')
        self.assertIn("0 violations, 0 warnings", self.assert_clean())

    def test_a_lower_part_that_includes_a_higher_one_is_named(self):
        self.plant("src/node/segment.hpp", '\n#include "context/context.hpp"\n')
        self.assert_names("src/node/segment.hpp:2", "context is on line 3")

    def test_parts_of_one_line_are_strangers(self):
        self.plant("src/ledger/lend.cpp", '#include "context/context.hpp"\n')
        self.assert_names("src/ledger/lend.cpp:1", "context/context.hpp")

    def test_a_folder_outside_the_table_is_named(self):
        self.plant("src/helpers/misc.cpp", "int misc;\n")
        self.assert_names("src/helpers/misc.cpp:1", "no part of the layer table")

    def test_a_path_that_climbs_is_named(self):
        self.plant("src/node/segment.cpp", '#include "../context/context.hpp"\n')
        self.assert_names("src/node/segment.cpp:1", "write the path from src/")

    def test_hwloc_stays_in_machine(self):
        self.plant("src/machine/load.cpp", "#include <hwloc.h>\n")
        self.assert_clean()
        self.plant("src/node/load.cpp", "#include <hwloc.h>\n")
        self.assert_names("src/node/load.cpp:1", "hwloc.h")

    def test_mpi_stays_where_communicators_are_taken(self):
        self.plant("include/comity/comity_mpi.h", "#include <mpi.h>\n")
        self.plant("apps/twomesh/main.cpp", "#include <mpi.h>\n")
        self.assert_clean()
        self.plant("src/context/create.cpp", "#include <mpi.h>\n")
        self.assert_names("src/context/create.cpp:1", "mpi.h")

    def test_the_kernel_is_called_from_os_only(self):
        self.plant("src/os/mapping.cpp", "#include <sys/mman.h>\n#include <linux/futex.h>\n")
        self.assert_clean()
        for header in ("sys/mman.h", "linux/futex.h", "sched.h", "sys/socket.h"):
            self.plant("src/node/segment.cpp", f"#include <{header}>\n")
            self.assert_names("src/node/segment.cpp:1", header)

    def test_the_environment_is_read_in_one_file(self):
        self.plant("src/os/environment.cpp", 'auto* a = std::getenv("A");\n')
        self.assert_clean()
        self.plant("src/os/affinity.cpp", 'auto* a = std::getenv("A");\n')
        self.assert_names("src/os/affinity.cpp:1", "getenv")

    def test_a_word_in_a_string_breaks_no_rule(self):
        self.plant("src/node/segment.cpp", 'auto path = folder + "/environ";\n')
        self.assert_clean()

    def test_a_word_in_a_comment_breaks_no_rule(self):
        self.plant("src/node/segment.cpp", '// not getenv\n/* #include <hwloc.h>\n#include "context/context.hpp" */\n')
        self.assert_clean()

    def test_programs_of_users_know_the_public_headers_only(self):
        self.plant("apps/twomesh/main.cpp", '#include <comity/comity.hpp>\n#include "twomesh/mesh.hpp"\n')
        self.assert_clean()
        self.plant("apps/twomesh/main.cpp", '#include "node/segment.hpp"\n')
        self.assert_names("apps/twomesh/main.cpp:1", "node/segment.hpp")

    def test_apps_share_base_and_examples_do_not(self):
        self.plant("apps/twomesh/main.cpp", '#include "base/spelling.hpp"\n')
        self.assert_clean()
        self.plant("examples/first.cpp", '#include "base/spelling.hpp"\n')
        self.assert_names("examples/first.cpp:1", "base/spelling.hpp")

    def test_a_part_in_a_folder_of_two_names_is_found(self):
        self.plant("src/compat/quo/quo.cpp", '#include <comity/comity.h>\n#include "compat/quo/codes.hpp"\n')
        self.assert_clean()
        self.plant("src/compat/quo/quo.cpp", '#include "context/context.hpp"\n')
        self.assert_names("src/compat/quo/quo.cpp:1")

    def test_a_long_file_is_a_warning_and_no_violation(self):
        self.plant("src/base/long.cpp", "int a;\n" * 351)
        self.assertIn("warning: src/base/long.cpp: 351 lines", self.assert_clean())

    def test_a_folder_of_many_files_without_a_readme_is_a_warning(self):
        for number in range(4):
            self.plant(f"tests/coop/programs/{number}.c", "")
            self.plant(f"tests/fuzz/seeds/graph/{number}", "")
            self.plant(f"src/base/{number}.cpp", "")
        self.plant("src/base/README.md", "# base\n")
        for number in range(3):
            self.plant(f"src/node/{number}.cpp", "")
        output = self.assert_clean()
        self.assertIn("warning: tests/coop/programs: 4 files and no README.md", output)
        self.assertIn("1 warnings", output)

    def test_a_page_without_a_table_is_an_error(self):
        (self.root / "ARCHITECTURE.md").write_text("# Architecture\n", encoding="utf-8")
        self.assert_names("no block fenced as ```layers")


if __name__ == "__main__":
    unittest.main()
