"""Cases of what a run is given: bad files, folders, models and arguments."""

import json
import os
import zipfile

from torture_files import STORE, CONTENTS, LARGE_PLACES, MODELS, PLACES, TASK, replace_with
from torture_run import Case, printable

HUGE = "18446744073709551615"
ESCAPE = "\x1b]0;title\x07"
# Where output is no terminal, escapes of all kinds are left out unless colours are forced.
COLOURED = {"CLICOLOR_FORCE": "1"}

# The memory of runs that read what others wrote, in MiB.
LIMIT = 128

# Commands by the file that each reads.
READERS = {
    "program.py": [
        ["arc", "eval", "--programs", "program.py", "--data", "task.json"],
        ["arc", "merge", "--programs", "program.py", "-o", "out"],
        ["arc", "generate", "--count", "2", "--programs", "program.py"],
        ["arc", "evolve", "--rounds", "1", "--store", "new", "--programs", "program.py", "--data", "task.json"],
    ],
    "merged.py": [["arc", "batt", "merged.py", "--data", "task.json"]],
    "merged_call.py": [["arc", "batt", "merged.py", "--data", "task.json", "--calls", "merged_call.py"]],
    "plan.py": [["arc", "eval", "--programs", "plan.py"], ["arc", "merge", "--programs", "plan.py", "-o", "out"]],
    "task.json": [
        ["arc", "eval", "--data", "task.json"],
        ["arc", "generate", "--data", "task.json", "--programs", "program.py"],
    ],
    "vectors.vectors": [["arc", "check", "--vectors", "vectors.vectors"]],
    "config.toml": [["--config", "config.toml", "devices"]],
    "run.json": [
        ["profile", "show", "run.json"],
        ["profile", "suggest", "run.json"],
        ["profile", "report", "run.json", "-o", "out"],
        ["profile", "flame", "run.json", "-o", "out"],
        ["profile", "trace", "run.json", "-o", "out"],
        ["profile", "compare", "run.json", "other.json"],
        ["serve-metrics", "--once", "run.json"],
    ],
    "log.jsonl": [["memory", "replay", "log.jsonl"]],
    f"{STORE}/evolve.json": [["arc", "evolve", "--rounds", "1", "--store", STORE, "--data", "mirror.json"]],
    "sites.bin": [["lattice", "transform", "xor", "--size", "10", "--input", "sites.bin"]],
}


def inputs():
    yield from bad_files()
    yield from bad_folders()
    yield from bad_archives()
    yield from bad_stores()
    yield from bad_logs()
    yield from bad_programs()
    yield from bad_models()
    yield from numbers()
    yield from great_work()
    yield from great_recordings()
    yield from settings()
    yield from texts()


def bad_files():
    for file, commands in READERS.items():
        for number, arguments in enumerate(commands):
            what = f"{' '.join(arguments[:2])} with {file}"
            for content, change in CONTENTS.items():
                # One command for each file is enough where the reader is the same.
                quick = number == 0 or content in ("empty", "cut in half", "terminal escapes")
                yield Case(f"{what}: {content}", arguments, environment=COLOURED if "escapes" in content else {},
                           prepare=replace_with(file, change), quick=quick, limit=LIMIT)
            for place, prepare in {**PLACES, **LARGE_PLACES}.items():
                yield Case(
                    f"{what}: {place}",
                    arguments,
                    prepare=lambda folder, prepare=prepare, file=file: prepare(folder, file),
                    seconds=20,
                    limit=LIMIT,
                    quick=number == 0 and place not in LARGE_PLACES,
                )


def bad_folders():
    def with_pipe(name):
        def prepare(folder):
            (folder / "data").mkdir()
            os.mkfifo(folder / "data" / name)

        return prepare

    for option, name in (("--programs", "a.py"), ("--data", "a.json"), ("--vectors", "a.jsonl")):
        command = "check" if option == "--vectors" else "eval"
        yield Case(f"a pipe in the folder of arc {command} {option}", ["arc", command, option, "data"],
                   prepare=with_pipe(name), seconds=5)

    def deep(folder):
        os.makedirs(folder / "data" / "/".join(["a"] * 60))
        (folder / "data" / "loop").symlink_to("..")

    yield Case("a deep folder with a loop of links", ["arc", "eval", "--data", "data"], prepare=deep)


def bad_stores():
    """Stores of an evolution that something changed."""
    evolve = ["arc", "evolve", "--rounds", "1", "--store", STORE, "--programs", "typed.py", "--data", "mirror.json"]

    def in_programs(change):
        def prepare(folder):
            for path in (folder / STORE / "solver_md5").glob("*.py"):
                path.write_bytes(change(path.read_bytes()))

        return prepare

    for content, change in CONTENTS.items():
        yield Case(f"programs of a store: {content}", evolve, environment=COLOURED if "escapes" in content else {},
                   prepare=in_programs(change), limit=LIMIT, quick=content in ("empty", "NULs", "terminal escapes"))
    for content in ("2 GiB of NULs", "/dev/zero", "a folder"):
        def prepare(folder, place={**PLACES, **LARGE_PLACES}[content]):
            program = next((folder / STORE / "solver_md5").glob("*.py"))
            place(program.parent, program.name)

        yield Case(f"a program of a store: {content}", evolve, prepare=prepare, limit=LIMIT, seconds=20)


def bad_archives():
    data = ["arc", "eval", "--data", "data.zip"]

    def bomb(members, mib):
        def prepare(folder):
            with zipfile.ZipFile(folder / "data.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                for number in range(members):
                    with archive.open(f"{number}.json", "w") as member:
                        for _ in range(mib):
                            member.write(b" " * (1 << 20))

        return prepare

    for members, mib, quick in ((3, 200, True), (24, 200, False)):
        yield Case(f"an archive of {members} members of {mib} MiB", data, prepare=bomb(members, mib), limit=LIMIT,
                   seconds=30, quick=quick)

    def many(folder):
        with zipfile.ZipFile(folder / "data.zip", "w") as archive:
            for number in range(70_000):
                archive.writestr(f"{number}.json", b"")

    yield Case("an archive of 70,000 empty members", data, prepare=many, seconds=30, quick=False)


def bad_programs():
    """Programs that are long, and tasks that are no tasks."""

    def chain(lines):
        def prepare(folder):
            calls = "".join(f"    x{n} = rot90({f'x{n - 1}' if n else 'I'})\n" for n in range(lines))
            (folder / "chain.py").write_text(f"def solve_chain(I):\n{calls}    return x{lines - 1}\n")

        return prepare

    for lines, quick in ((8_000, True), (100_000, False), (1_000_000, False)):
        for command in (["merge", "--programs", "chain.py", "-o", "out"],
                        ["eval", "--programs", "chain.py", "--all-pairs"]):
            yield Case(f"arc {command[0]} of a chain of {lines:,} lines", ["arc", *command],
                       prepare=chain(lines), seconds=20 if quick else 120,
                       mib=512 if quick else 2048, quick=quick)

    def all_lines_in_every_solver(folder):
        lines = ["    t1 = vmirror_t(I)", *(f"    t{n} = hmirror_t(t{n - 1})" for n in range(2, 50_001))]
        solvers = (f"    o.append(({n}, False, 'a{n}', t{n}))" for n in range(1, 50_001))
        (folder / "merged.py").write_text("\n".join(["def batt(task_id, S, I, C, log_path):", *lines, *solvers]))

    yield Case("arc batt of 50,000 solvers that use all lines before them",
               ["arc", "batt", "merged.py", "--data", "task.json"], prepare=all_lines_in_every_solver, seconds=30,
               codes={0, 1})

    def many_differs(folder):
        program = "def {}_a{}(S, I, C):\n    O = vmirror_t(I)\n    return O\n"
        names = ("solve", "differ")
        (folder / "typed.py").write_text("".join(program.format(name, n) for n in range(3_000) for name in names))

    yield Case("arc merge --as batt of 3,000 differs for 3,000 solvers",
               ["arc", "merge", "--programs", "typed.py", "--as", "batt", "-o", "out"], prepare=many_differs, codes={2})

    def task(**changes):
        def prepare(folder):
            (folder / "task.json").write_text(json.dumps({**TASK, **changes}))

        return prepare

    wide = [{"input": [[1] * 31], "output": [[1]]}]
    ragged = [{"input": [[1, 2], [1]], "output": [[1]]}]
    for name, train in (("too wide", wide), ("ragged", ragged), ("empty", [{"input": [], "output": []}])):
        yield Case(f"a grid that is {name}", ["arc", "eval", "--data", "task.json"],
                   prepare=task(train=train), codes={1})


def bad_logs():
    """What stands where the allocations of a run are logged."""

    def link_to(target):
        return lambda folder: (folder / "log").symlink_to(target)

    # As `run --memory-log`, which takes minutes on an emulated GPU.
    evaluate = ["--device", "simt:0", "arc", "eval", "--data", "task.json", "--programs", "program.py"]
    environment = {"HEDDLE_MEMORY_LOG": "log"}
    yield Case("run --memory-log: a folder", ["--device", "simt:0", "run", "--rounds", "1", "--memory-log", "log"],
               {"HEDDLE_CACHE_DIR": MODELS}, lambda folder: (folder / "log").mkdir(), codes={1})
    for name, prepare, codes in (
        ("an old log", lambda folder: (folder / "log").write_text("old\n" * 100_000), {0}),
        ("a link", link_to("real"), {0}),
        ("a full device", link_to("/dev/full"), {0, 1}),
        ("a folder", lambda folder: (folder / "log").mkdir(), {1}),
    ):
        def after(folder, result):
            log = folder / "log"
            return "the old log is still there" if log.is_file() and "old\n" in log.read_text() else None

        yield Case(f"a log of allocations: {name}", evaluate, environment, prepare,
                   after=None if "device" in name else after, codes=codes, seconds=30)


def bad_models():
    """Model files that an earlier run wrote and something changed."""

    def change(content):
        def prepare(folder):
            for path in (folder / MODELS).rglob("*.json"):
                path.write_bytes(content(path.read_bytes()))

        return prepare

    environment = {"HEDDLE_CACHE_DIR": MODELS}
    explain = ["explain", "xor", "--size", "1000000"]
    for name, content in CONTENTS.items():
        yield Case(f"model files: {name}", explain, environment=environment, prepare=change(content), codes={0})
    for name in ("program.py", "program.py/below", "/dev/null", "/proc/self"):
        yield Case(f"models in {name}", ["arc", "eval"], environment={"HEDDLE_CACHE_DIR": name}, codes={0, 1, 2})


NUMBERS = [HUGE, "9223372036854775807", "nan", "18446744073709551616", "4294967296", "0", "-1", "inf", "1e308", "", "½"]


def numbers():
    """Numbers at the ends of their types in every option that takes one."""
    options = [
        ["--threads", "{}", "devices"],
        ["arc", "eval", "--budget", "steps={}"],
        ["arc", "eval", "--budget", "bytes={}"],
        ["arc", "eval", "--budget", "time={}s"],
        ["arc", "eval", "--gpu-caps", "cells={}", "--device", "simt:0", "--data", "task.json", "--programs", "program.py"],
        ["arc", "generate", "--count", "1", "--lines", "{}"],
        ["arc", "generate", "--count", "1", "--seed", "{}"],
        ["arc", "generate", "--programs", "program.py", "--count", "{}"],
        ["bench", "ops", "--time", "1", "--case", "xor/u8:{}"],
        ["bench", "ops", "--time", "1", "--case", "matmul:{}"],
        ["explain", "xor", "--size", "{}"],
        ["explain", "matmul", "--size", "{}"],
        ["lattice", "analyze", "--size", "{}"],
        ["lattice", "analyze", "--dims", "{}"],
        ["lattice", "analyze", "--most-pairs", "{}"],
        ["lattice", "path", "--to", "{},{}"],
        ["lattice", "path", "--weights", "{},1"],
        ["lattice", "distances", "--weights", "{},{}"],
        ["lattice", "transform", "scale", "--factor", "{}"],
        ["lattice", "transform", "xor", "--sizes", "{},2"],
        ["lattice", "analyze", "--blocked", "{}"],
        ["lattice", "show", "--at", "{},{}", "-o", "out.svg"],
        ["memory", "replay", "log.jsonl", "--limit", "{}"],
        ["memory", "replay", "log.jsonl", "--pool-idle", "{}"],
        ["profile", "show", "run.json", "--top", "{}"],
        ["profile", "show", "run.json", "--csv", "out", "--cap", "{}"],
        ["profile", "trace", "run.json", "-o", "out", "--cap", "{}"],
        ["profile", "compare", "run.json", "run.json", "--noise", "{}"],
        ["profile", "compare", "run.json", "run.json", "--confidence", "{}"],
        ["serve-metrics", "run.json", "--address", "127.0.0.1:{}", "--once"],
        ["--device", "simt:{}", "devices"],
        ["--device", "cuda:{}", "devices"],
    ]
    for option in options:
        for place, number in enumerate(NUMBERS):
            arguments = [part.replace("{}", number) for part in option]
            # What a size needs may fit in the memory of this machine, so it is given less.
            limit = {"HEDDLE_MEMORY_HOST_LIMIT": "256MiB"} if option[0] in ("lattice", "bench") else {}
            yield Case(" ".join(arguments), arguments, limit, quick=place < 3, misused=True)


def great_recordings():
    """Recordings of more rows than any run has."""
    spans, rows = ",".join(["0"] * 5_000_000), ",".join(["{}"] * 2_000_000)
    for name, rest in (
        ("spans", f'"spans": {{"count": 5000000, "start_ns": [{spans}]}}'),
        ("samples of memory", f'"spans": {{"count": 0}}, "memory": [{rows}]'),
    ):
        text = f'{{"format": "heddle-profile", "version": 2, "counts": {{}}, "strings": [""], {rest}}}'
        yield Case(f"a recording of millions of {name}", ["profile", "show", "run.json"], codes={1},
                   prepare=replace_with("run.json", lambda good, text=text: text.encode()))
    many = ",".join(["0"] * 2_000_000)
    text = ('{"format": "heddle-profile", "version": 2, "counts": {}, "strings": [""], '
            f'"spans": {{"count": 2000000, "start_ns": [{many}]}}}}')
    for number, arguments in enumerate(READERS["run.json"]):
        yield Case(f"{' '.join(arguments[:2])} of two million spans", arguments, codes={1}, limit=LIMIT,
                   prepare=replace_with("run.json", lambda good, text=text: text.encode()), quick=number == 0)


def prints_no(*words):
    def after(folder, result):
        found = [word for word in words if word in result.stdout + result.stderr]
        return f"prints {found[0]!r}" if found else None

    return after


def many_blocks(folder):
    with open(folder / "log.jsonl", "w") as log:
        log.write('{"heddle_allocation_log": 1, "device": "simt:0", "capacity": 1152921504606846976}\n')
        for block in range(1, 1_500_000):
            log.write(f'{{"at":1,"event":"allocate","bytes":1,"stream":1,"address":{block * 512},"site":"a"}}\n')


def great_work():
    """Sizes that no memory and no time suffice for."""
    count = ["arc", "generate", "--count"]
    for number in (HUGE, "1000000000000"):
        yield Case(f"arc generate --count {number}", [*count, number, "-o", "out"], codes={1, 2})
    yield Case(f"arc bench --generated {HUGE}", ["arc", "bench", "--rounds", "1", "--generated", HUGE], codes={1, 2})
    for case in ("matmul:1000000000", f"xor/u8:{HUGE}", "xor:1000000000000"):
        yield Case(f"bench ops --case {case}", ["bench", "ops", "--time", "1", "--case", case], codes={1, 2})
    yield Case("lattice distances of as many distances as sites",
               ["lattice", "distances", "--dims", "1", "--size", "16777216"], limit=160, codes={0}, seconds=30)
    yield Case("memory replay of very many blocks", ["memory", "replay", "log.jsonl"], prepare=many_blocks,
               limit=LIMIT, codes={1}, seconds=30)
    yield Case("arc eval of a file of blanks", ["arc", "eval", "--data", "task.json"], limit=LIMIT, codes={1},
               prepare=replace_with("task.json", lambda good: b" " * (200 << 20)))
    for arguments in (["generate", "--count", "1000000"], ["bench", "--rounds", "1", "--generated", "1000000"]):
        yield Case(f"arc {' '.join(arguments)} in little memory", ["arc", *arguments], limit=LIMIT, codes={1},
                   seconds=20)
    yield Case("arc generate of hours", ["arc", "generate", "--lines", "200", "--count", "1000000"], codes={2})
    yield Case("bench ops in little memory", ["bench", "ops", "--time", "1", "--case", "xor/u8:100000000"],
               limit=LIMIT, codes={1})
    yield Case("--threads 1000", ["--threads", "1000", "arc", "eval"], seconds=5)
    yield Case("--threads 65536", ["--threads", "65536", "arc", "eval"], seconds=5)
    yield Case("the longest time", ["arc", "eval", "--budget", "time=9223372036854775807s"])
    for transformation, sizes, more in (
        ("xor", "131072,65536", []),
        ("normalize", "32768,32768", []),
        ("xor", "32768,32768", ["--weights", "random"]),
    ):
        # Their memory is admitted, so a run that fits in this machine's is no failure.
        yield Case(f"lattice transform {transformation} --sizes {sizes} {' '.join(more)}".strip(),
                   ["lattice", "transform", transformation, "--sizes", sizes, *more],
                   environment={"HEDDLE_MEMORY_HOST_LIMIT": "256MiB"}, codes={0, 1, 2}, seconds=60)
    yield Case("closeness of one site", ["lattice", "centrality", "--size", "1"], after=prints_no("NaN"))
    for command in ("path", "analyze", "distances", "centrality"):
        yield Case(f"lattice {command} with weights near the largest number",
                   ["lattice", command, "--size", "30", "--weights", "1e308,1e308"],
                   after=prints_no("NaN", " inf", "unreachable"))
    yield Case("very many paths", ["lattice", "path", "--size", "2000", "--count"], after=prints_no("about inf"),
               seconds=30)


def settings():
    for name, value in (("HEDDLE_SIMT_MEMORY", "99999999GiB"), ("HEDDLE_SIMT_MEMORY", "0"),
                        ("HEDDLE_PROFILE_CAPACITY_SPANS", HUGE), ("HEDDLE_PROFILE_CAPACITY_SPANS", "0"),
                        ("HEDDLE_MEMORY_HOST_LIMIT", "0"), ("HEDDLE_MEMORY_DEVICE_LIMIT", "1"),
                        ("HEDDLE_THREADS", "65536"), ("HEDDLE_NO_SUCH", ESCAPE), ("HEDDLE_DEVICE", ESCAPE),
                        ("HEDDLE_NO_SUCH" + ESCAPE, "1"), ("HEDDLE_ARC_DATA", ESCAPE),
                        ("HEDDLE_SIMT_FAIL_LAUNCH", "1"), ("HEDDLE_SIMT_FAIL_ALLOCATION", "1"),
                        ("HEDDLE_SIMT_LOST_AFTER", "3")):
        what = f"{printable(name)}={printable(value)}"
        environment = {name: value, **COLOURED}
        yield Case(what, ["arc", "eval", "--data", "task.json", "--programs", "program.py"], environment=environment)
        # What launches and allocates, so that a fault is met.
        yield Case(f"{what} with an emulated GPU",
                   ["--device", "simt:0", "arc", "eval", "--data", "task.json", "--programs", "program.py"],
                   environment=environment, seconds=20)


def texts():
    """Texts where a name is expected."""
    for text in (ESCAPE, b"\xff\xfe", "a" * 100_000, "--", "-"):
        for arguments in ([text], ["arc", "eval", "--tasks", text], ["arc", "eval", "--data", text],
                          ["profile", "show", text], ["lattice", "transform", text]):
            # The names of files may come from others; the rest of a command line does not.
            named = "--data" in arguments or "profile" in arguments
            yield Case(f"{' '.join(map(printable, arguments))}"[:80], arguments,
                       environment=COLOURED if named else {}, misused=True)
