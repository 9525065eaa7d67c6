#!/usr/bin/env python3
"""Checks Heddle's lattices against python-igraph and times both, in one run.

First 200 random lattices (one to six dimensions, mixed boundaries, blocked sites,
weights) are asked the same questions of both sides and the answers compared; a
difference ends the run. Then each row is timed in rounds that alternate, Heddle and
igraph, so that a machine that slows down slows both. A ratio is taken within a round;
what is judged is the median of the rounds' ratios, and their least and greatest stand
beside it. Rows that Heddle loses are printed like the others.

Both sides are timed inside their own process, on a lattice that is already there:

    cargo build --release -p heddle-lattice --example peer
    python3 benchmarks/lattice_peers.py --peer target/release/examples/peer

Needs python-igraph and NumPy.
"""

import argparse
import datetime
import json
import math
import platform
import random
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import igraph
import numpy

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"

CLOSE = 1e-9
LATTICES = 200
ROUNDS = 3
# Milliseconds spent on each row in each round, on each side; a call that takes longer
# is made once.
ROW_MS = 300
# igraph takes seconds for each lattice of the full pipeline: it is timed on so many,
# and the time for 100 is that times 100 over them.
PIPELINE = 100
PIPELINE_SAMPLE = 2
KEY = numpy.frombuffer(b"warp and weft", dtype=numpy.uint8)


class Different(Exception):
    """The two sides do not agree."""


class Lattice:
    """A lattice as both sides are told of it: the last axis fastest, as NumPy's."""

    def __init__(self, axes, blocked=(), axis_weights=None, site_weights=None):
        self.axes = axes
        self.blocked = sorted(set(blocked))
        self.axis_weights = axis_weights
        self.site_weights = site_weights
        self.sites = math.prod(size for size, _ in axes)

    def question(self, ask, **more):
        told = {"axes": self.axes, "blocked": self.blocked, "ask": ask, **more}
        if self.axis_weights is not None:
            told["axis_weights"] = self.axis_weights
        if self.site_weights is not None:
            told["site_weights"] = self.site_weights
        return told

    def edges(self):
        """Ends and weights of every edge between free sites, by vertex."""
        shape = [size for size, _ in self.axes]
        sites = numpy.arange(self.sites).reshape(shape)
        free = numpy.ones(self.sites, dtype=bool)
        free[self.blocked] = False
        vertex = numpy.cumsum(free) - 1
        ends, weights = [], []
        for axis, (size, boundary) in enumerate(self.axes):
            along = numpy.moveaxis(sites, axis, 0)
            pairs = [(along[:-1], along[1:])]
            if boundary == "periodic" and size > 2:
                pairs.append((along[-1:], along[:1]))
            for left, right in pairs:
                left, right = left.ravel(), right.ravel()
                both = free[left] & free[right]
                left, right = left[both], right[both]
                ends.append(numpy.stack([vertex[left], vertex[right]], axis=1))
                if self.site_weights is not None:
                    costs = numpy.asarray(self.site_weights)
                    weights.append((costs[left] + costs[right]) / 2)
                else:
                    cost = 1.0 if self.axis_weights is None else self.axis_weights[axis]
                    weights.append(numpy.full(len(left), cost))
        return numpy.concatenate(ends), numpy.concatenate(weights), int(free.sum())

    def graph(self):
        """igraph's graph of it, with weights where it has some."""
        ends, weights, vertices = self.edges()
        graph = igraph.Graph(n=vertices, edges=ends)
        if self.axis_weights is not None or self.site_weights is not None:
            graph.es["weight"] = weights.tolist()
        return graph

    def build(self):
        """igraph's own way to a lattice, as fast as it gets there."""
        graph = igraph.Graph.Lattice(
            [size for size, _ in reversed(self.axes)],
            circular=[boundary == "periodic" for _, boundary in reversed(self.axes)],
        )
        if self.blocked:
            graph.delete_vertices(self.blocked)
        return graph


class Peer:
    """The process that answers for Heddle."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, question):
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise Different(f"the peer ended at {question['ask']}")
        answer = json.loads(line)
        if "error" in answer:
            raise Different(f"{question['ask']}: {answer['error']}")
        return answer


def median_ns(call, budget_ms=ROW_MS):
    """The median time of one call; one that fills the budget is made once."""
    times = []
    end = time.perf_counter() + budget_ms / 1000
    while not times or time.perf_counter() < end:
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times)


# ---------------------------------------------------------------- equal answers


def drawn(seed):
    """A random lattice of at most a few hundred sites."""
    dice = random.Random(seed)
    axes, sites = [], 1
    for _ in range(dice.randint(1, 6)):
        size = dice.randint(1, max(1, min(9, 400 // sites)))
        sites *= size
        axes.append([size, dice.choice(["open", "periodic"])])
    share = dice.choice([0, 0, 0.1, 0.3])
    blocked = [site for site in range(sites) if dice.random() < share]
    weights = dice.choice(["unit", "unit", "axes", "sites"])
    return Lattice(
        axes,
        blocked,
        [dice.uniform(0.5, 2.5) for _ in axes] if weights == "axes" else None,
        [dice.uniform(0.5, 2.5) for _ in range(sites)] if weights == "sites" else None,
    )


def near(found, expected):
    """Within 1e-9 of the greater, a missing number like one that is none."""
    found = numpy.array([math.nan if x is None else x for x in found], dtype=float)
    expected = numpy.array(expected, dtype=float)
    if found.shape != expected.shape:
        return False
    both = numpy.isnan(found) & numpy.isnan(expected)
    scale = numpy.maximum(numpy.abs(found), numpy.abs(expected))
    with numpy.errstate(invalid="ignore"):
        close = numpy.abs(found - expected) <= CLOSE * scale
        return bool(numpy.all(both | (found == expected) | close))


def check(peer, lattice):
    """Compares every answer; raises Different at the first that is not the same."""
    graph = lattice.graph()
    weights = "weight" if "weight" in graph.es.attributes() else None
    ask = lambda name: peer.ask(lattice.question(name))["answer"]

    def same(what, found, expected):
        if not near(found, expected):
            raise Different(f"{what}: {found} and {expected} on {lattice.question('')}")

    analysis = ask("analyze")
    figure = lambda name: analysis[name]["value"]
    same("vertices", [analysis["vertices"]], [graph.vcount()])
    same("edges", [figure("edges")], [graph.ecount()])
    same("components", sorted(ask("components")), sorted(graph.connected_components().sizes()))
    if graph.vcount() == 0:
        return
    free = sorted(set(range(lattice.sites)) - set(lattice.blocked))
    ends = {"start": free[0], "end": free[-1]}
    from_first = graph.distances(0, weights=weights)[0]
    found = peer.ask(lattice.question("distances", **ends))["answer"]
    # JSON has no infinity: null is where no path leads.
    found = [math.inf if found[site] is None else found[site] for site in free]
    same("distances", found, from_first)
    if math.isfinite(from_first[-1]):
        path = peer.ask(lattice.question("path", **ends))["answer"]
        same("path length", [path], [from_first[-1]])
    same("diameter", [figure("diameter")], [graph.diameter(weights=weights)])
    same("radius", [figure("radius")], [min(graph.eccentricity(weights=weights))])
    same("mean distance", [figure("mean_distance")], [graph.average_path_length(weights=weights)])
    same("clustering", [figure("clustering")], [graph.transitivity_undirected()])
    if graph.vcount() > 1:
        same("density", [figure("density")], [graph.density()])
    same("degree", ask("degree"), graph.degree())
    same("closeness", ask("closeness"), graph.closeness(weights=weights))
    same("betweenness", rounded(ask("betweenness")), rounded(graph.betweenness(weights=weights)))
    eigenvector = ask("eigenvector")
    if graph.is_connected() and graph.ecount() > 0:
        expected = graph.eigenvector_centrality()
        # Relative to the greatest entry, which is 1.
        if max(abs(x - y) for x, y in zip(eigenvector, expected)) > CLOSE:
            raise Different(f"eigenvector: {eigenvector} and {expected}")


def rounded(values):
    """Without the dust igraph leaves where a betweenness is 0."""
    return [0.0 if abs(value) < 1e-9 else value for value in values]


# ------------------------------------------------------------------------ times


def pipeline_light(lattice, state):
    """What igraph and NumPy take for one lattice, without the distances of all pairs."""
    graph = lattice.build()
    figures = (
        graph.vcount(),
        graph.ecount(),
        len(graph.connected_components()),
        2 * graph.ecount() / graph.vcount(),
        graph.transitivity_undirected(),
        graph.density(),
    )
    path = graph.get_shortest_path(0, graph.vcount() - 1)
    key = numpy.resize(KEY, state.shape)
    return figures, path, numpy.bitwise_xor(state, key)


def pipeline_full(lattice, state):
    """The same with diameter, radius and mean distance, as Heddle's analysis has them."""
    graph = lattice.build()
    # One pass over all pairs gives all three.
    histogram = graph.path_length_hist()
    figures = (max(start for start, _, _ in histogram.bins()), histogram.mean, graph.radius())
    return figures, pipeline_light(lattice, state)


def rows(regular, blocked):
    """Name, question of Heddle, call of igraph; a time may have a factor."""
    state = numpy.zeros(regular.sites, dtype=numpy.uint8)
    for label, lattice in (("regular", regular), ("10 % blocked", blocked)):
        graph = lattice.graph()
        last = graph.vcount() - 1
        free = [site for site in range(lattice.sites) if site not in set(lattice.blocked)]
        ends = {"start": free[0], "end": free[-1]}
        yield label, "shortest path", lattice.question("path", **ends), (
            lambda graph=graph, last=last: graph.get_shortest_path(0, last)), 1
        yield label, "distances from one", lattice.question("distances", **ends), (
            lambda graph=graph: graph.distances(0)), 1
        yield label, "diameter", lattice.question("diameter"), graph.diameter, 1
        yield label, "closeness", lattice.question("closeness"), graph.closeness, 1
        yield label, "betweenness", lattice.question("betweenness"), graph.betweenness, 1
        yield label, "Louvain", lattice.question("louvain"), graph.community_multilevel, 1
        yield label, "eigenvector", lattice.question("eigenvector"), graph.eigenvector_centrality, 1
        yield label, "build", lattice.question("build"), lattice.build, 1
        yield label, "components", lattice.question("components"), graph.connected_components, 1
    question = regular.question("pipeline", lattices=PIPELINE)
    yield "regular", "pipeline, igraph without distances", question, (
        lambda: [pipeline_light(regular, state) for _ in range(PIPELINE)]), 1
    yield "regular", "pipeline", question, (
        lambda: [pipeline_full(regular, state) for _ in range(PIPELINE_SAMPLE)]
    ), PIPELINE / PIPELINE_SAMPLE


def quality(peer, lattice):
    """Modularity of both sides' Louvain; neither is the best there is."""
    found = peer.ask(lattice.question("louvain"))["answer"]
    graph = lattice.graph()
    return found, graph.community_multilevel().modularity


def wanted(label, name):
    """What a row has to show, where something was promised."""
    promised = {
        ("10 % blocked", "shortest path"): 5,
        ("10 % blocked", "closeness"): 4,
        ("10 % blocked", "betweenness"): 4,
        ("regular", "pipeline"): 30,
    }
    if label == "regular" and name in (
        "shortest path", "diameter", "closeness", "betweenness", "eigenvector"
    ):
        return 100
    return promised.get((label, name))


def machine():
    model = "unknown processor"
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
        model = found.group(1) if found else model
    except OSError:
        pass
    return model


def commit():
    done = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True
    )
    return done.stdout.strip() or "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", type=Path, default=ROOT / "target/release/examples/peer")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--lattices", type=int, default=LATTICES)
    parser.add_argument("--only", default="", help="only rows whose name contains this")
    parser.add_argument("--no-write", action="store_true", help="leave results/ alone")
    arguments = parser.parse_args()
    peer = Peer(str(arguments.peer))

    for seed in range(arguments.lattices):
        check(peer, drawn(seed))
    print(f"{arguments.lattices} random lattices: every answer within {CLOSE:g}")

    regular = Lattice([[10, "open"]] * 4)
    dice = random.Random(7)
    blocked = Lattice([[10, "open"]] * 4, [s for s in range(10_000) if dice.random() < 0.1])
    measured = {}
    for _ in range(arguments.rounds):
        for label, name, question, call, factor in rows(regular, blocked):
            if arguments.only not in name:
                continue
            try:
                ours = peer.ask({**question, "least": 3, "budget_ms": ROW_MS})
            except Different as error:
                print(f"left out: {name}, {label} ({error})", file=sys.stderr)
                continue
            theirs = median_ns(call) * factor
            measured.setdefault((label, name), []).append((ours["median_ns"], theirs))

    table = []
    print(f"{'lattice':13} {'question':36} {'heddle':>12} {'igraph':>12} {'times':>9}  spread")
    for (label, name), times in measured.items():
        ratios = [theirs / ours for ours, theirs in times]
        row = {
            "lattice": label,
            "question": name,
            "heddle_ns": statistics.median(ours for ours, _ in times),
            "igraph_ns": statistics.median(theirs for _, theirs in times),
            "ratio": statistics.median(ratios),
            "ratio_least": min(ratios),
            "ratio_greatest": max(ratios),
            "wanted": wanted(label, name),
        }
        table.append(row)
        verdict = ""
        if row["wanted"]:
            verdict = f"  {'met' if row['ratio'] >= row['wanted'] else 'MISSED'} (>= {row['wanted']})"
        print(
            f"{label:13} {name:36} {row['heddle_ns'] / 1e6:9.3f} ms {row['igraph_ns'] / 1e6:9.2f} ms"
            f" {row['ratio']:8.1f}x  {min(ratios):.1f} to {max(ratios):.1f}{verdict}"
        )
    qualities = {}
    for label, lattice in (("regular", regular), ("10 % blocked", blocked)):
        qualities[label] = quality(peer, lattice)
        print("modularity of Louvain, {}: {:.4f} and igraph's {:.4f}".format(label, *qualities[label]))
    if arguments.no_write:
        return
    date = datetime.date.today().isoformat()
    name = re.sub(r"[^a-z0-9]+", "-", " ".join(machine().lower().split()[:2])).strip("-")
    path = RESULTS / f"{date}-lattice-peers-{name}.json"
    path.write_text(json.dumps({
        "date": date,
        "commit": commit(),
        "machine": machine(),
        "system": platform.platform(),
        "igraph": igraph.__version__,
        "numpy": numpy.__version__,
        "rounds": arguments.rounds,
        "equal_lattices": arguments.lattices,
        "pipeline_of_igraph_timed_on": PIPELINE_SAMPLE,
        "modularity": qualities,
        "rows": table,
    }, indent=1) + "\n")
    print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    try:
        main()
    except Different as error:
        sys.exit(f"error: {error}")
