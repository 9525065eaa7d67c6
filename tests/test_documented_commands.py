import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from documented_commands import blocks, plan, script

SCRIPT = Path(__file__).with_name("documented_commands.py")

PAGE = """\
Text with `code`.

```console
$ heddle devices
cpu  the machine's own
$ heddle xor \\
> --size 5
```

<!-- not run: needs a GPU -->
```sh
heddle devices --device cuda:0
```

1. A list:
   ```sh
   # a comment
   git clone somewhere
   cd heddle
   ./test
   ```

```rust
let not_a_command = 1;
```
"""


class Blocks(unittest.TestCase):
    def test_only_commands_of_shell_blocks_are_taken(self):
        console, marked, listed = blocks("page.md", PAGE)
        self.assertEqual(console.commands(), ["heddle devices", "heddle xor \\\n--size 5"])
        self.assertEqual((console.line, console.not_run), (3, ""))
        self.assertEqual(marked.not_run, "needs a GPU")
        self.assertEqual(listed.commands(), ["git clone somewhere", "cd heddle", "./test"])

    def test_a_here_document_belongs_to_its_command(self):
        (block,) = blocks("page.md", "```sh\ncat <<'END'\n# kept\n\nEND\ntrue\n```\n")
        self.assertEqual(block.commands(), ["cat <<'END'\n# kept\n\nEND", "true"])

    def test_a_mark_applies_to_the_next_block_only(self):
        (block,) = blocks("page.md", "<!-- not run: no -->\ntext\n```sh\ntrue\n```\n")
        self.assertEqual(block.not_run, "")

    def test_commands_that_would_recurse_are_skipped(self):
        planned = plan(["git clone x", "cd heddle", "./test", "cd docs", "true"])
        self.assertEqual([bool(why) for _, why in planned], [True, True, True, False, False])

    def test_the_command_is_not_built_again(self):
        planned = plan(["cargo install --path crates/heddle-cli", "cargo build"])
        self.assertEqual([bool(why) for _, why in planned], [True, False])

    def test_commands_are_shown_before_they_run(self):
        self.assertIn("echo '$ true'\ntrue\n", script([("true", None)]))


class WholeRuns(unittest.TestCase):
    def check(self, readme):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "README.md").write_text(readme)
            done = subprocess.run(
                [sys.executable, SCRIPT, "--root", root, "--binaries", root / "bin"],
                capture_output=True,
                text=True,
                env=os.environ,
            )
            self.assertEqual(os.listdir(root), ["README.md"])
            return done

    def test_a_failing_command_fails_the_run(self):
        done = self.check("```sh\ntrue\nfalse\necho unreached\n```\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("README.md:1: the last command above ended with 1", done.stdout)
        self.assertNotIn("unreached\n", done.stdout.replace("echo unreached", ""))

    def test_written_files_stay_out_of_the_checkout(self):
        done = self.check("```sh\ncat README.md > copy.txt\ntest -s copy.txt\n```\n")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_block_marked_not_run_is_not_run(self):
        done = self.check("<!-- not run: it fails -->\n```sh\nfalse\n```\n")
        self.assertEqual(done.returncode, 0)
        self.assertIn("not run: it fails", done.stdout)


if __name__ == "__main__":
    unittest.main()
