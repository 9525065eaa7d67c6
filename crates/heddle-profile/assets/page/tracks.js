// The layout of the timeline: a track for each thread and each GPU stream, in each
// track enough rows that the spans of a row do not overlap.

/** `{tracks: [{label, rows: [{starts, ends, spans}]}]}`, threads first. */
function tracksOf(run) {
  run.tracks ??= [...threadTracks(run), ...streamTracks(run)];
  return run.tracks;
}

function threadTracks(run) {
  const tracks = new Map();
  const rowOf = new Uint32Array(run.size);
  for (let span = 0; span < run.size; span += 1) {
    const thread = run.thread[span];
    if (!tracks.has(thread)) tracks.set(thread, emptyTrack(threadName(run, thread)));
    const parent = run.parent[span];
    const above = parent >= 0 && run.thread[parent] === thread ? rowOf[parent] + 1 : 0;
    const start = run.start_ns[span];
    rowOf[span] = place(tracks.get(thread), span, start, start + run.total_ns[span], above);
  }
  return [...tracks].sort(([a], [b]) => a - b).map(([, track]) => finished(track));
}

/** Kernels, by the device's own clock. */
function streamTracks(run) {
  const kernels = [];
  for (let span = 0; span < run.size; span += 1) {
    if (run.device_ns[span] >= 0 && run.device_start_ns[span] >= 0) kernels.push(span);
  }
  kernels.sort((a, b) => run.device_start_ns[a] - run.device_start_ns[b] || a - b);
  const tracks = new Map();
  for (const span of kernels) {
    const device = run.strings[run.device[span]];
    const stream = run.stream[span];
    const label = stream >= 0 ? `${device} stream ${stream}` : device;
    if (!tracks.has(label)) tracks.set(label, {...emptyTrack(label), isStream: true});
    const start = run.device_start_ns[span];
    place(tracks.get(label), span, start, start + run.device_ns[span], 0);
  }
  return [...tracks]
    .sort(([a], [b]) => a.localeCompare(b, "en", {numeric: true}))
    .map(([, track]) => finished(track));
}

function emptyTrack(label) {
  return {label, isStream: false, rows: []};
}

/** Puts a span into the first row from `above` on that is free at its start. */
function place(track, span, start, end, above) {
  let row = above;
  while (row < track.rows.length && track.rows[row].busyUntil > start) row += 1;
  while (track.rows.length <= row) track.rows.push({busyUntil: -Infinity, starts: [], ends: [], spans: []});
  const into = track.rows[row];
  into.starts.push(start);
  into.ends.push(end);
  into.spans.push(span);
  into.busyUntil = end;
  return row;
}

function finished(track) {
  track.rows = track.rows.map(({starts, ends, spans}) => ({
    starts: Float64Array.from(starts),
    ends: Float64Array.from(ends),
    spans: Uint32Array.from(spans),
  }));
  return track;
}

/** The first place in a row whose span ends after `when`. */
function firstEndingAfter(row, when) {
  let low = 0;
  let high = row.ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (row.ends[middle] > when) high = middle;
    else low = middle + 1;
  }
  return low;
}
