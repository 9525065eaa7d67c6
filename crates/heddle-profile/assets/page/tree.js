// The call tree: the spans of a run merged by the path of names from the root. A node's
// value is self time, so that no time is counted twice.

/** Nodes as columns; node 0 is the root, and a parent comes before its children. */
function treeOf(run) {
  run.tree ??= growTree(run);
  return run.tree;
}

function growTree(run) {
  const nodes = [{name: "all spans", parent: -1, depth: 0, self: 0, total: 0, calls: 0, devices: new Map(), children: []}];
  const nodeOf = new Uint32Array(run.size);
  const known = new Map();
  const base = run.strings.length || 1;
  for (let row = 0; row < run.size; row += 1) {
    const parent = run.parent[row] < 0 ? 0 : nodeOf[run.parent[row]];
    const key = parent * base + run.operation[row];
    let index = known.get(key);
    if (index === undefined) {
      index = nodes.length;
      known.set(key, index);
      nodes.push({
        name: nameOrNone(run.strings[run.operation[row]]), parent, depth: nodes[parent].depth + 1,
        self: 0, total: 0, calls: 0, devices: new Map(), children: [],
      });
      nodes[parent].children.push(index);
    }
    nodeOf[row] = index;
    const node = nodes[index];
    node.calls += 1;
    node.self += run.self_ns[row];
    const device = run.strings[run.device[row]];
    node.devices.set(device, (node.devices.get(device) ?? 0) + run.self_ns[row]);
  }
  return layOut(nodes);
}

function layOut(nodes) {
  for (const node of nodes) node.total = node.self;
  for (let index = nodes.length - 1; index > 0; index -= 1) nodes[nodes[index].parent].total += nodes[index].total;
  let depth = 0;
  nodes[0].from = 0;
  for (const node of nodes) {
    node.children.sort((a, b) => nodes[b].total - nodes[a].total || (nodes[a].name < nodes[b].name ? -1 : 1));
    let from = node.from;
    for (const child of node.children) {
      nodes[child].from = from;
      from += nodes[child].total;
    }
    node.device = [...node.devices].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? "cpu";
    depth = Math.max(depth, node.depth);
  }
  return {nodes, depth};
}

/** The names from the root down to a node; the same node has the same path in two runs. */
function pathOf(nodes, index) {
  const names = [];
  for (let at = index; at > 0; at = nodes[at].parent) names.push(nodes[at].name);
  return names.reverse().join("\u0000");
}
