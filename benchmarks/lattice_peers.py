#!/usr/bin/env python3
"""Checks Heddle's lattices against python-igraph and times both, in one run.

First both sides run the same queries on 200 random lattices (one to six dimensions,
mixed boundaries, blocked sites, weights) and the results are compared; a difference
ends the run. Then each row is timed in rounds that alternate, Heddle and igraph, so
that a machine that slows down slows both. A ratio is taken within a round. The verdict
is on the median of the rounds' ratios; their minimum and maximum are shown beside it.
Rows that Heddle loses are printed like the others.

Both sides are timed inside their own process, on a lattice that exists already:

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
# igraph takes seconds for each lattice of the full pipeline: it is timed on
# PIPELINE_SAMPLE lattices, and the time is scaled to PIPELINE.
PIPELINE = 100
PIPELINE_SAMPLE = 2
KEY = numpy.frombuffer(b"shared secret", dtype=numpy.uint8)


class Different(Exception):
    """The results of the two sides differ."""


class Lattice:
    """A lattice for both sides: the last axis varies fastest, as in NumPy."""

    def __init__(self, axes, blocked=(), axis_weights=None, site_weights=None):
        self.axes = axes
        self.blocked = sorted(set(blocked))
        self.axis_weights = axis_weights
        self.site_weights = site_weights
        self.sites = math.prod(size for size, _ in axes)

    def query(self, ask, **more):
        query = {"axes": self.axes, "blocked": self.blocked, "ask": ask, **more}
        if self.axis_weights is not None:
            query["axis_weights"] = self.axis_weights
        if self.site_weights is not None:
            query["site_weights"] = self.site_weights
        return query

    def edges(self):
        """Returns the ends and weights of every edge between free sites, by vertex."""
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
        """Returns igraph's graph of the lattice, with its weights."""
        ends, weights, vertices = self.edges()
        graph = igraph.Graph(n=vertices, edges=ends)
        if self.axis_weights is not None or self.site_weights is not None:
            graph.es["weight"] = weights.tolist()
        return graph

    def build(self):
        """Builds the lattice with igraph's own constructor, its fastest."""
        graph = igraph.Graph.Lattice(
            [size for size, _ in reversed(self.axes)],
            circular=[boundary == "periodic" for _, boundary in reversed(self.axes)],
        )
        if self.blocked:
            graph.delete_vertices(self.blocked)
        return graph


class Peer:
    """The process that runs Heddle's queries."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, query):
        self.process.stdin.write(json.dumps(query) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise Different(f"the peer ended at {query['ask']}")
        response = json.loads(line)
        if "error" in response:
            raise Different(f"{query['ask']}: {response['error']}")
        return response


def median_ns(call, budget_ms=ROW_MS):
    """Returns the median time of one call; a call that takes the whole budget is made once."""
    times = []
    end = time.perf_counter() + budget_ms / 1000
    while not times or time.perf_counter() < end:
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times)


# ---------------------------------------------------------------- equal results


def random_lattice(seed):
    """Returns a random lattice of at most a few hundred sites."""
    rng = random.Random(seed)
    axes, sites = [], 1
    for _ in range(rng.randint(1, 6)):
        size = rng.randint(1, max(1, min(9, 400 // sites)))
        sites *= size
        axes.append([size, rng.choice(["open", "periodic"])])
    share = rng.choice([0, 0, 0.1, 0.3])
    blocked = [site for site in range(sites) if rng.random() < share]
    weights = rng.choice(["unit", "unit", "axes", "sites"])
    return Lattice(
        axes,
        blocked,
        [rng.uniform(0.5, 2.5) for _ in axes] if weights == "axes" else None,
        [rng.uniform(0.5, 2.5) for _ in range(sites)] if weights == "sites" else None,
    )


def is_close(found, expected):
    """Whether the values are within 1e-9 of the larger one; a missing number equals NaN."""
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
    """Compares every result; raises Different at the first difference."""
    graph = lattice.graph()
    weights = "weight" if "weight" in graph.es.attributes() else None
    ask = lambda name: peer.ask(lattice.query(name))["answer"]

    def same(what, found, expected):
        if not is_close(found, expected):
            raise Different(f"{what}: {found} and {expected} on {lattice.query('')}")

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
    found = peer.ask(lattice.query("distances", **ends))["answer"]
    # JSON has no infinity: an unreachable site is null.
    found = [math.inf if found[site] is None else found[site] for site in free]
    same("distances", found, from_first)
    if math.isfinite(from_first[-1]):
        path = peer.ask(lattice.query("path", **ends))["answer"]
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
        # Relative to the largest entry, which is 1.
        if max(abs(x - y) for x, y in zip(eigenvector, expected)) > CLOSE:
            raise Different(f"eigenvector: {eigenvector} and {expected}")


def rounded(values):
    """Replaces igraph's rounding errors around 0 by 0."""
    return [0.0 if abs(value) < 1e-9 else value for value in values]


# ------------------------------------------------------------------------ times


def pipeline_light(lattice, state):
    """Runs igraph and NumPy on one lattice, without the distances of all pairs."""
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
    """Runs the same with diameter, radius and mean distance, as in Heddle's analysis."""
    graph = lattice.build()
    # One pass over all pairs gives all three.
    histogram = graph.path_length_hist()
    figures = (max(start for start, _, _ in histogram.bins()), histogram.mean, graph.radius())
    return figures, pipeline_light(lattice, state)


def rows(regular, blocked):
    """Yields label, name, Heddle's query, igraph's call, and a factor on igraph's time."""
    state = numpy.zeros(regular.sites, dtype=numpy.uint8)
    for label, lattice in (("regular", regular), ("10 % blocked", blocked)):
        graph = lattice.graph()
        last = graph.vcount() - 1
        free = [site for site in range(lattice.sites) if site not in set(lattice.blocked)]
        ends = {"start": free[0], "end": free[-1]}
        yield label, "shortest path", lattice.query("path", **ends), (
            lambda graph=graph, last=last: graph.get_shortest_path(0, last)), 1
        yield label, "distances from one", lattice.query("distances", **ends), (
            lambda graph=graph: graph.distances(0)), 1
        yield label, "diameter", lattice.query("diameter"), graph.diameter, 1
        yield label, "closeness", lattice.query("closeness"), graph.closeness, 1
        yield label, "betweenness", lattice.query("betweenness"), graph.betweenness, 1
        yield label, "Louvain", lattice.query("louvain"), graph.community_multilevel, 1
        yield label, "eigenvector", lattice.query("eigenvector"), graph.eigenvector_centrality, 1
        yield label, "build", lattice.query("build"), lattice.build, 1
        yield label, "components", lattice.query("components"), graph.connected_components, 1
    query = regular.query("pipeline", lattices=PIPELINE)
    yield "regular", "pipeline, igraph without distances", query, (
        lambda: [pipeline_light(regular, state) for _ in range(PIPELINE)]), 1
    yield "regular", "pipeline", query, (
        lambda: [pipeline_full(regular, state) for _ in range(PIPELINE_SAMPLE)]
    ), PIPELINE / PIPELINE_SAMPLE


def quality(peer, lattice):
    """Returns the modularity of both sides' Louvain; neither is the optimum."""
    found = peer.ask(lattice.query("louvain"))["answer"]
    graph = lattice.graph()
    return found, graph.community_multilevel().modularity


def required_ratio(label, name):
    """Returns the ratio that a row must reach, or None."""
    required = {
        ("10 % blocked", "shortest path"): 5,
        ("10 % blocked", "closeness"): 4,
        ("10 % blocked", "betweenness"): 4,
        ("regular", "pipeline"): 30,
    }
    if label == "regular" and name in (
        "shortest path", "diameter", "closeness", "betweenness", "eigenvector"
    ):
        return 100
    return required.get((label, name))


def machine():
    model = "unknown CPU"
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
    parser.add_argument("--no-write", action="store_true", help="do not write to results/")
    arguments = parser.parse_args()
    peer = Peer(str(arguments.peer))

    for seed in range(arguments.lattices):
        check(peer, random_lattice(seed))
    print(f"{arguments.lattices} random lattices: every result within {CLOSE:g}")

    regular = Lattice([[10, "open"]] * 4)
    rng = random.Random(7)
    blocked = Lattice([[10, "open"]] * 4, [s for s in range(10_000) if rng.random() < 0.1])
    measured = {}
    for _ in range(arguments.rounds):
        for label, name, query, call, factor in rows(regular, blocked):
            if arguments.only not in name:
                continue
            try:
                ours = peer.ask({**query, "least": 3, "budget_ms": ROW_MS})
            except Different as error:
                print(f"left out: {name}, {label} ({error})", file=sys.stderr)
                continue
            theirs = median_ns(call) * factor
            measured.setdefault((label, name), []).append((ours["median_ns"], theirs))

    table = []
    print(f"{'lattice':13} {'query':36} {'heddle':>12} {'igraph':>12} {'times':>9}  spread")
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
            "wanted": required_ratio(label, name),
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
