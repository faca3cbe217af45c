// The charts of a route. Each is made anew for every change, and there are three at a time.

function drawChart(canvas, label, datasets, scales, overlayOptions, colors, tooltip) {
  Chart.getChart(canvas)?.destroy();
  canvas.setAttribute('aria-label', label);
  return new Chart(canvas, {
    type: 'line',
    data: {datasets},
    plugins: [overlay],
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      interaction: {mode: 'x', intersect: false},
      font: {family: 'system-ui, sans-serif'},
      scales,
      plugins: {
        legend: {display: false},
        overlay: overlayOptions,
        tooltip: {
          backgroundColor: colors.paper,
          borderColor: colors.muted,
          borderWidth: 1,
          titleColor: colors.ink,
          bodyColor: colors.ink,
          footerColor: colors.soft,
          usePointStyle: true,
          boxPadding: 4,
          ...tooltip,
        },
      },
    },
  });
}

// Readings of one row count, smallest first: of what is routed, dashed lines, and a few others, for
// a list of all would hide the chart.
const kReadings = 9;

function isOneOfFew(item, index, items) {
  if (item.raw.x !== items[0].raw.x) return false;
  if (item.dataset.always) return true;
  const smaller = items.filter((one) => one.raw.y < item.raw.y || one.dataset.always);
  return smaller.length < kReadings;
}

function curve(name, points, mark, {routed, muted, dashed}, colors) {
  const color = mark.color;
  return {
    label: name,
    always: routed || dashed,
    data: points,
    showLine: true,
    spanGaps: true,
    order: routed ? 1 : muted ? 3 : 2,
    borderColor: muted ? withAlpha(color, 0.55) : color,
    backgroundColor: colors.paper,
    pointStyle: mark.shape,
    pointBorderColor: color,
    pointRadius: muted || dashed ? 0 : points.length > 60 ? 1.5 : 2.5,
    pointHoverRadius: 4,
    borderWidth: routed ? 2.2 : 1.2,
    borderDash: dashed ? [6, 4] : [],
  };
}

function bandsOf(choice, marks) {
  return choice.windows.map((window) => ({
    lo: window.lo,
    hi: window.hi,
    kind: window.edge,
    color: marks.get(window.program).color,
    label: window.edge === 'top' ? 'unqualified' : shortName(window.program, choice.route),
  }));
}

// From 1 to a little above the last row count measured, so that the top window shows.
const rowRange = (rows) => [1, Math.max(...rows, 1) * 1.35];

function windowAt(choice, rows) {
  const found = choice.windows.find((window) => window.lo < rows && rows <= window.hi);
  return found ? `routed: ${shortName(found.program, choice.route)}` : '';
}

// Points of the time chart: {name, points, style} per visible program, and the floor.
function timeSeries(choice, marks) {
  const {times, route, over} = choice;
  const y = (ns, i) => (over ? ns / times.stream_ns[i] : ns / 1000);
  const points = (list) => times.rows.flatMap((rows, i) =>
    (list[i] > 0 && (!over || times.stream_ns[i] > 0) ? [{x: rows, y: y(list[i], i), ns: list[i]}]
      : []));
  const series = [];
  route.programs.forEach((program, p) => {
    if (!choice.visible.has(program.name)) return;
    series.push({name: program.name, points: points(times.program_ns[p])});
  });
  series.push({name: 'stream', points: points(times.stream_ns)});
  return series.filter((one) => one.points.length > 0).map((one) => ({...one,
    mark: marks.get(one.name), routed: choice.routed.has(one.name)}));
}

// Over the floor, what is far slower than all routed programs would flatten the rest.
function overRange(series) {
  const floor = series.filter((one) => one.routed || one.name === 'stream')
    .flatMap((one) => one.points.map((point) => point.y)).sort((a, b) => a - b);
  if (floor.length === 0) return [0.9, 3];
  return [Math.min(0.95, floor[0]), Math.max(1.5, 1.1 * floor[Math.floor(0.9 * floor.length)])];
}

function drawTimes(choice, marks) {
  const colors = palette();
  const series = timeSeries(choice, marks);
  const title = choice.over ? 'time over the streaming floor' : 'time (\u00b5s)';
  const format = (value) => significant(value, 4);
  const all = series.flatMap((one) => one.points.map((point) => point.y));
  const scales = {
    x: rowAxis(colors, rowRange(choice.times.rows)),
    y: choice.over ? linearAxis(colors, title, format, overRange(series))
      : logAxis(colors, title, format, rangeOf(all, 1.3)),
  };
  const label = `Chart of ${choice.route.name}, view ${choice.times.view}: ${title} over rows, of `
    + `${series.length} programs. The table below holds the same.`;
  drawChart(byId('time-chart'), label,
    series.map((one) => curve(one.name, one.points, one.mark, {
      routed: one.routed,
      muted: !one.routed && one.name !== 'stream',
      dashed: one.name === 'stream',
    }, colors)),
    scales, {windows: bandsOf(choice, marks)}, colors, {
      filter: isOneOfFew,
      itemSort: (a, b) => a.raw.y - b.raw.y,
      callbacks: {
        title: (items) => (items.length ? `${items[0].raw.x} rows` : ''),
        label: ({dataset, raw}) => `${shortName(dataset.label, choice.route)}: `
          + `${microseconds(raw.ns)} \u00b5s${choice.over ? `, ${significant(raw.y, 4)} x` : ''}`,
        footer: (items) => (items.length ? windowAt(choice, items[0].raw.x) : ''),
      },
    });
}

// The curve of a program is that of all which share its dw.
function errorSeries(choice, marks) {
  const curves = choice.board.errors[choice.route.width] || [];
  return curves.flatMap((one) => {
    const named = choice.route.programs.filter((program) => program.measured_as === one.program);
    const comparator = one.program === 'eager';
    const seen = named.filter((program) => choice.visible.has(program.name));
    if (!comparator && seen.length === 0) return [];
    const lead = seen.find((program) => choice.routed.has(program.name)) || seen[0];
    const name = comparator ? 'eager' : lead.name;
    const points = one.rows.map((rows, i) => ({
      x: rows, y: fractionOf(one.worst[i]), worst: fractionOf(one.worst[i]),
      where: `${data.families[one.family[i]]}, seed ${one.seed[i]}, column ${one.column[i]}, `
        + `${one.inputs[i]} inputs`,
    }));
    return [{name, points, mark: marks.get(name), routed: choice.routed.has(name), comparator}];
  });
}

// No error at all, and one without end, lie at the bottom and the top of a logarithmic axis.
function errorRange(series, board) {
  const values = series.flatMap((one) => one.points.map((point) => point.worst));
  return rangeOf([...values, board.margin, 1], 1.6);
}

function drawErrors(choice, marks) {
  const colors = palette();
  const series = errorSeries(choice, marks);
  const range = errorRange(series, choice.board);
  for (const one of series) {
    for (const point of one.points) point.y = Math.min(Math.max(point.worst, range[0]), range[1]);
  }
  const rows = series.flatMap((one) => one.points.map((point) => point.x));
  const label = `Chart of ${choice.route.name}: worst dw error over rows, as a fraction of the `
    + `budget, of ${series.length} programs. The table below holds the same.`;
  drawChart(byId('error-chart'), label,
    series.map((one) => curve(one.name, one.points, one.mark, {
      routed: one.routed, muted: !one.routed && !one.comparator, dashed: one.comparator}, colors)),
    {
      x: rowAxis(colors, rowRange(rows)),
      y: logAxis(colors, 'worst error, fraction of the budget', (v) => significant(v, 2), range),
    },
    {
      windows: bandsOf(choice, marks),
      lines: [{y: choice.board.margin, label: `margin ${choice.board.margin}`, color: colors.limit},
        {y: 1, label: 'budget', color: colors.ink}],
    }, colors, {
      filter: isOneOfFew,
      itemSort: (a, b) => a.raw.y - b.raw.y,
      callbacks: {
        title: (items) => (items.length ? `${items[0].raw.x} rows` : ''),
        label: ({dataset, raw}) => `${shortName(dataset.label, choice.route)}: `
          + `${significant(raw.worst, 3)} (${raw.where})`,
        footer: (items) => (items.length ? windowAt(choice, items[0].raw.x) : ''),
      },
    });
}
