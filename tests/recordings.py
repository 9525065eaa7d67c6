"""Recordings for tests of the report: ordinary, tiny, huge and awkward ones.

Each function returns a file of format version 2 as a Python object. Figures come
from a fixed seed, so that a failure can be reproduced.
"""

import random

AWKWARD = (
    '</script><script>window.escaped = true</script>',
    "<img src=x onerror=\"window.escaped = true\">",
    "write \"results\"\n\t🧵",
    "line\u2028separator\u2029and\u0000control\u001f",
    "family 👨‍👩‍👧‍👦 in Ελληνικά, العربية and 日本語",
    "a_name_that_goes_on::and::on::" + "very_" * 60 + "long",
    "&lt;b&gt;not bold&lt;/b&gt; <b>nor this</b>",
    "%{x} ${y} {{style}} \\u003c \\",
    "",
)


class Recording:
    """Collects spans and writes them as columns."""

    def __init__(self, label, seed=1):
        self.label = label
        self.rows = []
        self.random = random.Random(seed)
        self.more = {}

    def span(self, operation, start, total, device="cpu", thread=0, parent=None, **more):
        row = {"operation": operation, "start_ns": start, "total_ns": total, "self_ns": total, "device": device,
               "element": "f32", "backend": "native", "thread": thread, "parent": parent, **more}
        if parent is not None:
            parent["self_ns"] -= total
        self.rows.append(row)
        return row

    def kernel(self, operation, start, device_ns, transfer_ns=0, overhead_ns=2_000, device="cuda:0", stream=7, **more):
        return self.span(
            operation, start, device_ns + transfer_ns + overhead_ns, device, device_ns=device_ns, stream=stream,
            device_start_ns=start + transfer_ns + overhead_ns // 2, transfer_ns=transfer_ns, overhead_ns=overhead_ns,
            bytes_in=1 << 20, bytes_out=1 << 18, bytes_moved=transfer_ns * 20, device_clocked=5, **more,
        )

    def file(self, created_unix_ms=1_794_754_800_000, **more):
        rows = sorted(self.rows, key=lambda row: (row["start_ns"], row["thread"], -row["total_ns"]))
        number = {id(row): index for index, row in enumerate(rows)}
        strings = [""]
        known = {"": 0}

        def name(text):
            if text not in known:
                known[text] = len(strings)
                strings.append(text)
            return known[text]

        spans = {"count": len(rows)}
        for column in ("operation", "element", "device", "backend"):
            spans[column] = [name(row[column]) for row in rows]
        spans["parent"] = [-1 if row["parent"] is None else number[id(row["parent"])] for row in rows]
        for column in ("start_ns", "total_ns", "self_ns", "thread", "transfer_ns", "overhead_ns", "bytes_in",
                       "bytes_out", "bytes_moved", "work"):
            spans[column] = [row.get(column, 0) for row in rows]
        for column in ("device_ns", "device_start_ns", "stream"):
            spans[column] = [row.get(column) for row in rows]
        computing = [row["self_ns"] - row.get("transfer_ns", 0) - row.get("overhead_ns", 0) for row in rows]
        spans["cpu_ns"] = [time if row["device"] == "cpu" else 0 for row, time in zip(rows, computing)]
        spans["gpu_ns"] = [0 if row["device"] == "cpu" else time for row, time in zip(rows, computing)]
        # Columns of defaults are omitted, as by the profiler.
        spans = {key: value for key, value in spans.items() if key == "count" or any(x not in (0, None) for x in value)}
        threads = sorted({row["thread"] for row in rows})
        counts = {"recorded": len(rows), "kept": len(rows), "written": len(rows), "overwritten": 0, "sampled_one_in": 1,
                  "cap_bytes": 0, "cap_reached": False}
        return {"format": "heddle-profile", "version": 2, "label": self.label, "created_unix_ms": created_unix_ms,
                "counts": counts, "threads": [{"id": thread, "name": f"worker-{thread}" if thread else "main"} for thread in threads],
                "strings": strings, "spans": spans, **self.more, **more}


def empty():
    return Recording("nothing happened").file()


def one_span():
    recording = Recording("one span")
    recording.span("xor", 500, 850)
    return recording.file()


def instant():
    """Spans that took no time."""
    recording = Recording("no time")
    for start in (0, 0, 5):
        recording.span("nothing", start, 0)
    return recording.file()


def awkward():
    recording = Recording(AWKWARD[0])
    at = 0
    for name in AWKWARD:
        for _ in range(3):
            outer = recording.span(name, at, 9_000, backend="scope")
            recording.kernel(name, at + 1_000, 2_000, overhead_ns=1_000, parent=outer)
            at += 10_000
    routing = [
        {"operation": name, "element": "u8", "device": "cuda:0", "size_class": index, "bytes": 1 << index, "count": index + 1,
         "explored": 0, "predicted_ns": 1_000.0 * (index + 1), "measured_ns": 900.0 * (index + 2), "alternatives": [],
         "reason": name, "calibrated": index % 2 == 0}
        for index, name in enumerate(AWKWARD)
    ]
    fallbacks = [{"operation": AWKWARD[1], "from": "cuda:0", "to": "cpu", "cause": AWKWARD[0], "count": 1}]
    return recording.file(routing=routing, counters={"fallbacks": fallbacks})


def many_threads(threads=64):
    recording = Recording("64 threads", seed=2)
    for thread in range(threads):
        at = recording.random.randrange(10_000)
        for _ in range(60):
            total = recording.random.randrange(2_000, 40_000)
            recording.span(recording.random.choice(("xor", "sum", "sort")), at, total, thread=thread)
            at += total + recording.random.randrange(5_000)
    return recording.file()


def deep(depth=1_000):
    recording = Recording("1,000 deep")
    parent = None
    for level in range(depth):
        # Each level gives its child all but two microseconds.
        parent = recording.span(f"level {level}", level * 1_000, (depth - level) * 2_000 + 50, parent=parent, backend="scope")
    return recording.file()


def several_gpus():
    recording = Recording("eight GPUs", seed=3)
    for gpu in range(8):
        at = 0
        for _ in range(40):
            recording.kernel("matmul", at, recording.random.randrange(20_000, 60_000), device=f"cuda:{gpu}", stream=gpu, thread=gpu)
            at += 90_000
    memory = [
        {"at_ns": step * 90_000, "device": f"cuda:{gpu}", "allocated": (step + 1) << 27, "reserved": 0, "pooled": 1 << 27,
         "free": 1 << 30, "limit": 6 << 30, "pressure": ("low", "moderate", "high", "critical")[step // 10]}
        for step in range(40) for gpu in range(8)
    ]
    return recording.file(memory=memory)


def huge(spans=200_000):
    """The number of spans at which the report must stay fluid, nested, on eight threads and a GPU."""
    recording = Recording("200,000 spans", seed=4)
    pick = recording.random
    names = [f"operation-{index}" for index in range(40)]
    each = spans // 8
    for thread in range(8):
        at = 0
        outer = None
        for index in range(each):
            if index % 50 == 0:
                outer = recording.span("step", at, 49 * 3_000 + 400, thread=thread, backend="scope")
                at += 200
                continue
            total = pick.randrange(300, 2_500)
            if thread == 0 and index % 7 == 0:
                recording.kernel(pick.choice(names), at, total // 2, overhead_ns=total - total // 2, parent=outer)
            else:
                recording.span(pick.choice(names), at, total, thread=thread, parent=outer)
            at += 3_000
            if index % 50 == 49:
                at += 200 + pick.randrange(2_000)
    memory = [
        {"at_ns": step * 1_900, "device": "cuda:0", "allocated": pick.randrange(1 << 33), "reserved": 0, "pooled": 1 << 30,
         "free": 1 << 33, "limit": 1 << 34, "pressure": pick.choice(("low", "low", "low", "moderate"))}
        for step in range(40_000)
    ]
    recording.more["memory"] = memory
    return recording.file()


def version_1():
    """A file of the profiler's first version."""
    spans = [
        {"operation": "xor", "element": "u8", "device": "cuda:0" if index % 3 == 0 else "cpu", "backend": "native",
         "start_ns": index * 2_000, "total_ns": 1_500 + index, "device_ns": 400 if index % 3 == 0 else None,
         "transfer_ns": 300, "overhead_ns": 100, "bytes_in": 2_048, "bytes_out": 1_024, "bytes_moved": 2_048,
         "work": 1_024, "thread": index % 2}
        for index in range(60)
    ]
    return {"format": "heddle-profile", "version": 1, "overwritten": 5, "spans": spans}


def ordinary(slower=(), created_unix_ms=1_794_754_800_000, label="ordinary", seed=5, matmul_on="cuda:0"):
    """A run with every kind of entry; operations named in `slower` take half as long again."""
    recording = Recording(label, seed)
    pick = recording.random

    def near(operation, middle):
        return int(middle * (1.5 if operation in slower else 1) * (0.95 + pick.random() / 10))

    at = 0
    for _ in range(40):
        begin = at
        frame = recording.span("frame", begin, 1, backend="scope")
        for operation, middle, on_gpu in (("load", 40_000, False), ("xor", 9_000, False), ("matmul", 90_000, True),
                                          ("matmul", 85_000, True), ("sum", 20_000, False), ("normalize", 12_000, True)):
            at += 1_000
            if on_gpu:
                span = recording.kernel(operation, at, near(operation, middle), transfer_ns=near(operation, 9_000))
            else:
                span = recording.span(operation, at, near(operation, middle), overhead_ns=500)
            span["parent"] = frame
            at += span["total_ns"]
        frame["total_ns"] = at + 2_000 - begin
        frame["self_ns"] = frame["total_ns"] - sum(row["total_ns"] for row in recording.rows if row["parent"] is frame)
        at += 6_000
    memory = [
        {"at_ns": step * at // 80, "device": device, "allocated": (step % 20 + 5) << 28, "reserved": 1 << 28, "pooled": 1 << 29,
         "free": 1 << 32, "limit": 8 << 30, "pressure": ("low", "moderate", "high", "critical")[step % 20 // 5]}
        for step in range(80) for device in ("cpu", "cuda:0")
    ]
    routing = [
        {"operation": "matmul", "element": "f32", "device": matmul_on, "size_class": 24, "bytes": 1 << 24, "count": 80,
         "explored": 2, "predicted_ns": 101_000.0, "measured_ns": 99_000.0,
         "alternatives": [{"device": "cpu", "predicted_ns": 4_000_000.0}], "reason": "cuda:0: 39.6x cheaper than cpu", "calibrated": True},
        {"operation": "sum", "element": "f32", "device": "cpu", "size_class": 18, "bytes": 1 << 18, "count": 40,
         "explored": 0, "predicted_ns": 8_000.0, "measured_ns": 20_000.0,
         "alternatives": [{"device": "cuda:0", "predicted_ns": None}], "reason": "cpu: the operand is there", "calibrated": False},
    ]
    counters = {"fallbacks": [], "batches": [], "pools": [{"device": "cuda:0", "hits": 990, "misses": 10}]}
    return recording.file(created_unix_ms, memory=memory, routing=routing, counters=counters)


def noisy(seed=1, scale=1, calls=60, device="cpu", created_unix_ms=1_794_754_800_000):
    """Calls of several amounts of work with a heavy tail, and of more amounts than are distinguished."""
    recording = Recording(f"noisy {seed}", seed)
    pick = recording.random
    at = 0
    for _ in range(calls):
        for work in (64, 4_096, 262_144):
            tail = min(100, 1 / (1 - pick.random())) if pick.random() < 0.125 else 1
            total = int(scale * (500 + work) * (1 + pick.random() / 10) * tail)
            recording.span("xor", at, total, device=device, work=work)
            at += total + 100
        total = pick.randrange(900, 1_100)
        recording.span("hash", at, total, work=pick.randrange(1, 10_000))
        at += total + 100
    return recording.file(created_unix_ms)
