"""Cases of what surrounds a run: outputs, signals, disks, limits and the environment."""

import os
import signal
import stat
import subprocess
from dataclasses import dataclass

from torture_files import PROGRAM
from torture_run import CODES, Case

OLD = "what was here before\n"
HUGE = "18446744073709551615"


def surroundings():
    yield from outputs()
    yield from signals()
    yield from disks()
    yield from limits()
    yield from environments()


@dataclass
class Writer:
    """A command that writes a file, and a mark that only a whole file has."""

    name: str
    arguments: list
    mark: str
    ending: str = ""

    def to(self, path):
        """The command with this output."""
        return [part.replace("{}", path + self.ending if path else "") for part in self.arguments]

    def file(self, folder, path="out"):
        return folder / (path + self.ending)

    def whole(self, folder, path="out"):
        """What is wrong with the output."""
        text = self.file(folder, path).read_text("utf-8", "replace")
        return None if self.mark in text else f"{path} is not whole: it ends with {text[-30:]!r}"


WRITERS = [
    Writer("arc eval --html", ["arc", "eval", "--html", "{}"], "</html>"),
    Writer("arc eval --profile", ["arc", "eval", "--profile", "{}"], "heddle-profile"),
    Writer("arc merge -o", ["arc", "merge", "--programs", "several.py", "-o", "{}"], "return solve_"),
    Writer("arc merge --as batt -o", ["arc", "merge", "--programs", "typed.py", "--as", "batt", "-o", "{}"],
           "return o, s"),
    Writer("arc batt -o", ["arc", "batt", "merged.py", "--data", "task.json", "-o", "{}"], "return O"),
    Writer("arc evolve --html", ["arc", "evolve", "--rounds", "1", "--store", "new", "--programs", "typed.py",
                                 "--data", "task.json", "--html", "{}"], "</html>"),
    Writer("arc generate -o", ["arc", "generate", "--count", "200", "-o", "{}"], "return O"),
    Writer("lattice show -o", ["lattice", "show", "-o", "{}"], "</svg>"),
    Writer("lattice transform -o", ["lattice", "transform", "xor", "-o", "{}"], ""),
    Writer("lattice distances -o", ["lattice", "distances", "--size", "60", "-o", "{}"], "", ".csv"),
    Writer("lattice centrality -o", ["lattice", "centrality", "--size", "30", "-o", "{}"], "NUMPY", ".npy"),
    Writer("profile report -o", ["profile", "report", "run.json", "-o", "{}"], "</html>"),
    Writer("profile trace -o", ["profile", "trace", "run.json", "-o", "{}"], "traceEvents"),
    Writer("profile flame -o", ["profile", "flame", "run.json", "-o", "{}"], "</svg>"),
    Writer("profile show --csv", ["profile", "show", "run.json", "--csv", "{}"], "start_ns"),
]


def outputs():
    for writer in WRITERS:
        yield from output_files(writer)
        for kind, mode in (("a device", (stat.S_IFCHR, 1, 3)), ("a full device", (stat.S_IFCHR, 1, 7))):
            yield output_device(writer, kind, mode)
        yield output_pipe(writer)
    for arguments in (["--help"], ["--version"], ["devices"], ["arc", "eval"], ["profile", "show", "run.json"],
                      ["--json", "devices"], ["arc", "generate"], ["help", "arc"]):
        yield Case(f"{' '.join(arguments)} > /dev/full", arguments, stdout="/dev/full", codes={1})


def output_files(writer):
    def old(folder):
        writer.file(folder).write_text(OLD)

    def linked(folder):
        (folder / "real").write_text(OLD)
        writer.file(folder).symlink_to("real")

    def still_linked(folder, result):
        if not writer.file(folder).is_symlink():
            return "replaced a link"
        return writer.whole(folder)

    def to_folder(folder):
        writer.file(folder, "folder").mkdir()

    name = writer.name
    yield Case(f"{name} over a file", writer.to("out"), prepare=old, codes={0},
               after=lambda folder, result: writer.whole(folder))
    yield Case(f"{name} through a link", writer.to("out"), prepare=linked, codes={0}, after=still_linked)
    yield Case(f"{name} into a missing folder", writer.to("none/out"), codes={1, 2})
    yield Case(f"{name} to a folder", writer.to("folder"), prepare=to_folder, codes={1, 2})
    yield Case(f"{name} to nothing", writer.to(""), codes={0, 1, 2}, misused=True)


def output_device(writer, kind, device):
    """A device of our own, so that a defect does not break the system's."""
    of, major, minor = device

    def prepare(folder):
        os.mknod(writer.file(folder), of | 0o666, os.makedev(major, minor))

    def still_there(folder, result):
        return None if stat.S_IFMT(os.lstat(writer.file(folder)).st_mode) == of else "replaced a device by a file"

    return Case(f"{writer.name} to {kind}", writer.to("out"), prepare=prepare, after=still_there,
                codes={1} if "full" in kind else {0}, mounts=True)


def output_pipe(writer):
    def prepare(folder):
        pipe = writer.file(folder)
        os.mkfifo(pipe)
        # It ends when the pipe is closed, or by itself where it is never opened.
        subprocess.Popen(["timeout", "10", "cat", pipe], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def still_there(folder, result):
        return None if writer.file(folder).is_fifo() else "replaced a pipe by a file"

    return Case(f"{writer.name} to a pipe", writer.to("out"), prepare=prepare, codes={0}, after=still_there)


def signals():
    """A signal ends a command soon, and its output is the old one or a whole one."""
    long = {
        "arc generate": ["arc", "generate", "--count", "400000", "-o", "out"],
        "arc eval": ["arc", "eval", "--programs", "many.py", "--all-pairs", "--profile", "out"],
        "arc merge": ["arc", "merge", "--programs", "many.py", "-o", "out"],
        "run": ["run", "--rounds", "100", "--profile", "out"],
        "calibrate": ["calibrate", "--budget", "60"],
        "selftest": ["selftest", "--device", "simt:0", "--thorough"],
        "lattice": ["lattice", "centrality", "--sizes", "120,120,120", "--weights", "random"],
        "serve-metrics": ["serve-metrics", "run.json", "--address", "127.0.0.1:0"],
        "memory stress": ["memory", "stress", "--device", "simt:0", "--times", "50"],
    }
    marks = {"arc generate": "return O", "arc eval": "heddle-profile", "arc merge": "return ", "run": "heddle-profile"}

    def prepare(folder):
        programs = (PROGRAM.replace("solve_a", f"solve_{number}") for number in range(20_000))
        (folder / "many.py").write_text("\n".join(programs))
        (folder / "out").write_text(OLD)

    for name, arguments in long.items():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            for delay in (0.05, 0.4, 1.5):

                def after(folder, result, mark=marks.get(name)):
                    text = (folder / "out").read_text("utf-8", "replace")
                    return None if text == OLD or (mark and text.endswith("\n") and mark in text) else (
                        f"out is neither old nor whole: {text[:40]!r} ... {text[-40:]!r}")

                yield Case(f"{name}, {number.name} after {delay} s", arguments, prepare=prepare, after=after,
                           environment={"HEDDLE_SIMT_MEMORY": "8MiB"} if "stress" in name else {}, send=(number, delay), seconds=delay + 8, mib=4096,
                           quick=delay == 0.4 and number is not signal.SIGTERM)


def disks():
    """A disk of 64 KiB that is full, and one that is read-only."""

    def mounted(*options, fill=True):
        def prepare(folder):
            disk = folder / "disk"
            disk.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk], check=True)
            for ending in {writer.ending for writer in WRITERS}:
                (disk / f"out{ending}").write_text(OLD)
            if fill:
                rest = os.open(disk / "rest", os.O_WRONLY | os.O_CREAT)
                try:
                    while os.write(rest, bytes(4096)):
                        pass
                except OSError:
                    os.close(rest)
            for option in options:
                subprocess.run(["mount", "-o", option, disk], check=True)

        return prepare

    def kept(folder, result, writer):
        if result.code == 0:
            return writer.whole(folder, "disk/out")
        text = writer.file(folder, "disk/out").read_text("utf-8", "replace")
        return None if text == OLD else f"the old file is lost: {text[-30:]!r}"

    kinds = {"full": mounted(), "read-only": mounted("remount,ro", fill=False)}
    for kind, prepare in kinds.items():
        for writer in WRITERS:
            # The new content may fit where the old one was.
            yield Case(f"{writer.name} on a {kind} disk", writer.to("disk/out"), prepare=prepare,
                       after=lambda folder, result, writer=writer: kept(folder, result, writer),
                       codes={0, 1} if kind == "full" else {1}, mounts=True)
        cache = {"HEDDLE_CACHE_DIR": "disk/cache"}
        yield Case(f"calibrate with the cache on a {kind} disk", ["calibrate", "--budget", "0.2"], cache, prepare,
                   codes={1}, mounts=True, seconds=30)
        yield Case(f"run with the cache on a {kind} disk", ["run", "--rounds", "1"], cache, prepare, mounts=True,
                   seconds=60, codes={0, 1}, quick=False, mib=4096,
                   after=lambda folder, result: None if result.code or "note:" in result.stderr
                   or "warning:" in result.stderr else "its files were left out without a word")
        profile = Writer("run --profile", ["run", "--rounds", "1", "--profile", "{}"], "heddle-profile")
        yield Case(f"run --profile on a {kind} disk", profile.to("disk/out"), {}, prepare, mounts=True, seconds=60,
                   codes={1}, quick=False, mib=4096,
                   after=lambda folder, result, profile=profile: kept(folder, result, profile))
        yield Case(f"arc eval with the home on a {kind} disk", ["arc", "eval"],
                   {"HOME": "disk", "XDG_CACHE_HOME": None, "XDG_CONFIG_HOME": None}, prepare, mounts=True,
                   codes={0})
        yield Case(f"profile report with TMPDIR on a {kind} disk", ["profile", "report", "run.json", "-o", "out"],
                   {"TMPDIR": "disk"}, prepare, mounts=True, codes={0})


def limits():
    work = {
        "arc eval": ["arc", "eval"],
        "arc eval on an emulated GPU": ["arc", "eval", "--device", "simt:0", "--programs", "program.py",
                                        "--data", "task.json"],
        "lattice": ["lattice", "analyze", "--sizes", "100,100", "--blocked", "10%"],
        "explain": ["explain", "xor", "--size", "1000"],
        "profile report": ["profile", "report", "run.json", "-o", "out"],
        "serve-metrics": ["serve-metrics", "--once", "run.json"],
        "devices": ["devices"],
    }
    for name, arguments in work.items():
        for descriptors in (3, 4, 5, 6, 8, 12, 20):
            yield Case(f"{name} with {descriptors} descriptors", arguments, limits={"n": descriptors},
                       quick=descriptors in (5, 8), codes=CODES | {127})
        for kib in (128, 256, 1024):
            yield Case(f"{name} with a stack of {kib} KiB", arguments, limits={"s": kib}, quick=kib == 256)
        for mib in (150, 200, 300, 400, 600, 1000):
            yield Case(f"{name} with {mib} MiB of addresses", arguments, limits={"v": mib << 10},
                       quick=mib in (200, 300), codes=CODES | {127})
        yield Case(f"{name} with 300 MiB of addresses and 64 threads", ["--threads", "64", *arguments],
                   limits={"v": 300 << 10})
    for transformation in ("xor", "normalize"):
        yield Case(f"lattice transform {transformation} of 1 GiB in 8 GiB of addresses",
                   ["lattice", "transform", transformation, "--sizes", "32768,32768"],
                   limits={"v": 8 << 20}, codes={0, 1, 2}, seconds=90, mib=9000, quick=False)
    for name, arguments in (("centrality", []), ("show", ["-o", "out.svg"]), ("analyze", ["--weights", "random"]),
                            ("distances", ["--weights", "random"]), ("path", ["--weights", "random"])):
        yield Case(f"lattice {name} --sizes 32768,32768 in 2 GiB of addresses",
                   ["lattice", name, "--sizes", "32768,32768", *arguments], limits={"v": 2 << 20}, codes={1, 2},
                   seconds=60, mib=2200)


def environments():
    for name, environment in {
        "HOME=/dev/null": {"HOME": "/dev/null", "XDG_CACHE_HOME": None, "XDG_CONFIG_HOME": None},
        "no HOME": {"HOME": None, "XDG_CACHE_HOME": None, "XDG_CONFIG_HOME": None},
        "HOME that is a file": {"HOME": "program.py", "XDG_CACHE_HOME": None, "XDG_CONFIG_HOME": None},
        "configuration in /dev/null": {"XDG_CONFIG_HOME": "/dev/null"},
        "an empty PATH and no locale": {"PATH": "", "LC_ALL": "none"},
        "a terminal of no width": {"COLUMNS": "0"},
        "a terminal of great width": {"COLUMNS": HUGE},
    }.items():
        for arguments in (["devices"], ["arc", "eval"], ["profile", "show", "run.json"]):
            yield Case(f"{' '.join(arguments)} with {name}", arguments, environment=environment, codes={0})
