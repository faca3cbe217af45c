// Edge history as a timeline: sources from left to right, an edge as a step line through them.

// Published sources in their order, then plans by number, whichever board they are of.
function sourcesOf(entries) {
  const numbers = new Map(entries.map((entry) => [entry.source, entry.plan || 0]));
  return [...numbers.keys()].sort((a, b) => numbers.get(a) - numbers.get(b));
}

// Edges through the sources that stated or moved them: {name, kind, points: [index, rows], gone}.
function tracesOf(entries, sources) {
  const traces = [];
  for (const entry of entries) {
    const index = sources.indexOf(entry.source);
    const owner = entry.board || entry.arch;
    for (const name of new Set(entry.routes.map(baseRoute))) {
      const last = (trace) => trace.points[trace.points.length - 1];
      let trace = traces.find((one) => !one.gone && one.owner === owner && one.route === name
        && entry.before !== null && last(one).y === entry.before && last(one).x < index);
      if (!trace) {
        trace = {owner, route: name, kind: entry.kind, points: [], gone: false};
        traces.push(trace);
        if (entry.before !== null) trace.points.push({x: index - 0.3, y: entry.before, entry});
      }
      if (entry.after === null) trace.gone = true;
      trace.points.push({x: index, y: entry.after ?? entry.before, entry});
    }
  }
  return traces;
}

// The last place up to which a trace is known: the owner's last source, unless it has gone.
function extend(traces, entries, sources) {
  const ends = new Map();
  for (const entry of entries) {
    ends.set(entry.board || entry.arch, sources.indexOf(entry.source));
  }
  for (const trace of traces) {
    if (trace.gone) continue;
    const last = trace.points[trace.points.length - 1];
    trace.points.push({x: ends.get(trace.owner) + 0.3, y: last.y, entry: last.entry, end: true});
  }
}

function drawHistory(entries, scopeText) {
  const colors = palette();
  const sources = sourcesOf(entries);
  const traces = tracesOf(entries, sources);
  extend(traces, entries, sources);
  const owners = [...new Set(traces.map((trace) => trace.owner))];
  const kinds = ['accuracy', 'speed', 'top', 'start'];
  const axis = baseAxis(colors, 'source, oldest first');
  const rows = traces.flatMap((trace) => trace.points.map((point) => point.y));
  const y = rowAxis(colors, rangeOf(rows, 1.5));
  y.title.text = 'edge at rows';
  const label = `Chart of ${entries.length} edges of ${scopeText} over their sources. The table `
    + 'below holds the same.';
  drawChart(byId('history-chart'), label, traces.map((trace) => {
    const color = colors.series[owners.indexOf(trace.owner) % colors.series.length];
    return {
      label: trace.owner,
      data: trace.points,
      stepped: 'before',
      borderColor: withAlpha(color, 0.8),
      borderWidth: 1.6,
      backgroundColor: color,
      pointBorderColor: color,
      pointStyle: kMarks[trace.kind === null ? 4 : kinds.indexOf(trace.kind)],
      pointRadius: trace.points.map((point, i) => (point.end || (i === 0 && point.x % 1) ? 0
        : trace.gone && i === trace.points.length - 1 ? 6 : 4)),
    };
  }), {
    x: {...axis, type: 'linear', min: -0.6, max: sources.length - 0.4,
      afterBuildTicks: (scale) => {
        scale.ticks = sources.map((source, value) => ({value}));
      },
      ticks: {...axis.ticks, callback: (value) => sources[value], autoSkip: isPhone()}},
    y,
  }, {}, colors, {
    filter: (item, index, items) => !item.raw.end && index < kReadings && item.raw.x % 1 === 0
      && item.raw.x === items.find((one) => one.raw.x % 1 === 0)?.raw.x,
    callbacks: {
      title: (items) => (items.length ? items[0].raw.entry.source : ''),
      label: ({raw: {entry}}) => `${entry.board || entry.arch} ${entry.routes.join(', ')}: `
        + `${entry.before ?? '?'} \u2192 ${entry.after ?? 'gone'}, ${entry.kind ?? 'not stated'}`,
    },
  });
  showKey(owners, colors);
}

function showKey(owners, colors) {
  const hint = byId('history-hint');
  if (owners.length === 0) return hint.replaceChildren();
  return hint.replaceChildren(...owners.flatMap((owner, i) => {
    const swatch = make('span', {'aria-hidden': 'true'}, '\u25a0 ');
    swatch.style.color = colors.series[i % colors.series.length];
    return [swatch, `${owner}\u2003`];
  }), 'Marks: circle, accuracy edge; square, speed edge; triangle, top; star, not stated.');
}
