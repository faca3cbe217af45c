// The tables of the page.

const programColumn = (title, program) => textColumn(title, program, {program: true});

const windowColumns = (route) => [
  {title: 'rows', number: true, value: (w) => w.lo, text: (w) => rowsText(w.lo, w.hi)},
  programColumn('program', (w) => w.program),
  textColumn('edge', (w) => w.edge),
  textColumn('outputs there', (w) => classesText(w, route)),
  numberColumn('worst (budget)', (w) => w.worst || null, (v) => v.toFixed(4)),
  numberColumn('time (stream)', (w) => w.over_stream || null, (v) => v.toFixed(3)),
  numberColumn('over fastest', (w) => (w.time === 'none' ? null : w.over_best),
    (v) => `${(100 * v).toFixed(1)} %`),
  textColumn('time', (w) => basisText(w.time)),
  textColumn('accuracy', (w) => basisText(w.accuracy)),
  textColumn('reason', (w) => w.reason, {wide: true}),
];

function showWindows(choice) {
  const {route} = choice;
  const slot = byId('windows').querySelector('.slot');
  if (route.windows.length === 0) {
    slot.replaceChildren(make('p', {class: 'note'}, route.no_plan || 'No windows.'));
    return;
  }
  const columns = windowColumns(route);
  const tables = [makeTable(`Windows of ${route.name}${route.in_place ? ', out of place' : ''}`,
    columns, route.windows)];
  if (route.in_place && route.in_place.length > 0) {
    tables.push(makeTable(`Windows of ${route.name}, in place`, columns, route.in_place));
  } else if (route.in_place) {
    tables.push(make('p', {class: 'hint'}, 'No program of the route runs in place.'));
  }
  slot.replaceChildren(...tables);
}

// Programs as columns over row counts; made when it is opened.
function showData(details, label, rows, columns) {
  details.querySelector('.table')?.remove();
  const build = () => {
    if (details.open && !details.querySelector('.table')) {
      details.append(makeTable(label, columns, rows, true));
    }
  };
  details.ontoggle = build;
  build();
}

function showTimesTable(choice) {
  const {times, route} = choice;
  const column = (title, list) => numberColumn(title,
    (i) => (list[i] > 0 ? list[i] / 1000 : null), (v) => significant(v, 5));
  showData(byId('time-data'), `Times of ${route.name}, view ${times.view}, in \u00b5s`,
    times.rows.map((_, i) => i),
    [numberColumn('rows', (i) => times.rows[i], String), column('stream', times.stream_ns),
      ...route.programs.map((program, p) => column(program.name, times.program_ns[p]))
        .filter((_, p) => times.program_ns[p].some((ns) => ns > 0))]);
}

function showErrorsTable(choice) {
  const curves = (choice.board.errors[choice.route.width] || []).filter((one) =>
    one.program === 'eager'
      || choice.route.programs.some((program) => program.measured_as === one.program));
  const rows = [...new Set(curves.flatMap((one) => one.rows))].sort((a, b) => a - b);
  const at = curves.map((one) => new Map(one.rows.map((r, i) => [r, fractionOf(one.worst[i])])));
  showData(byId('error-data'),
    `Worst dw error at width ${choice.route.width}, as a fraction of the budget`, rows,
    [numberColumn('rows', (r) => r, String), ...curves.map((one, i) =>
      numberColumn(one.program, (r) => at[i].get(r) ?? null, (v) => significant(v, 4)))]);
}

const pointsText = (entry) => entry.points.map((point) =>
  `${point.fraction} at ${point.at} (${[point.program, point.statistic, point.board]
    .filter(Boolean).join(', ')})`).join('; ');

function showHistoryTable(entries, label) {
  const slot = byId('history').querySelector('.slot');
  slot.replaceChildren(makeTable(label, [
    textColumn('source', (e) => e.source),
    textColumn('board', (e) => e.board || e.arch),
    textColumn('routes', (e) => e.routes.join(', ')
      + (e.residual_stated ? '' : ' (residual not stated)'), {program: true}),
    {title: 'before', number: true, value: (e) => e.before, 
      text: (e) => e.before ?? (e.board ? 'new' : '?')},
    {title: 'after', number: true, value: (e) => e.after, text: (e) => e.after ?? 'gone'},
    textColumn('unit', (e) => e.unit),
    textColumn('kind', (e) => e.kind ?? 'not stated'),
    textColumn('reason', (e) => e.reason, {wide: true}),
    textColumn('dw error (budget)', pointsText, {wide: true}),
    programColumn('below', (e) => e.program_below),
    programColumn('above', (e) => e.program_above),
  ], entries, true));
}

const firstNumber = (text) => Number((text.match(/\d+/g) || ['0']).pop());

function routesText(doubt, board) {
  const {routes} = doubt;
  if (routes.length === 0 || routes.length === board.routes.length) return 'all';
  return routes.join(', ');
}

function showDoubts(doubts, board, label) {
  const slot = byId('doubts').querySelector('.slot');
  if (doubts.length === 0) {
    slot.replaceChildren(make('p', {class: 'hint'}, 'Nothing that the evidence shows.'));
    return;
  }
  slot.replaceChildren(makeTable(label, [
    textColumn('what', (d) => d.kind),
    textColumn('why', (d) => d.text, {wide: true}),
    {title: 'rows', number: true, value: (d) => firstNumber(d.rows), text: (d) => d.rows || 'all'},
    programColumn('program', (d) => d.program || '-'),
    textColumn('routes', (d) => routesText(d, board), {
      wide: true,
      node: (d) => (d.routes.length > 3 && d.routes.length < board.routes.length
        ? make('details', {}, make('summary', {}, `${d.routes.length} routes`),
          routesText(d, board)) : routesText(d, board)),
    }),
    textColumn('what to do', (d) => d.remedy || '-', {program: true}),
  ], doubts, true));
}

const largest = (values) => (values.length > 0 ? Math.max(...values) : null);

function showRoutes(board) {
  const link = (route) => make('a', {href: `#${board.name}/${route.name}`}, route.name);
  byId('routes').querySelector('.slot').replaceChildren(makeTable(`Routes of ${board.name}`, [
    textColumn('route', (r) => r.name, {program: true, node: link}),
    numberColumn('windows', (r) => r.windows.length, String),
    numberColumn('programs', (r) => r.programs.length, String),
    numberColumn('qualified to', (r) => r.qualified_rows, grouped),
    numberColumn('worst (budget)', (r) => largest(r.windows.map((w) => w.worst)) || null,
      (v) => v.toFixed(4)),
    numberColumn('slowest window (stream)',
      (r) => largest(r.windows.map((w) => w.over_stream)) || null, (v) => v.toFixed(3)),
    numberColumn('uncertain', (r) => board.doubts.filter((d) => d.routes.includes(r.name)).length,
      String),
  ], board.routes, true));
}

function showEnvironments(board) {
  const columns = ['gpu', 'driver', 'toolkit', 'compiler', 'host', 'commit', 'id'];
  byId('environments').querySelector('.slot').replaceChildren(makeTable(
    `Environments of ${board.name}`, columns.map((name) => textColumn(name, (e) => e[name])),
    board.environments));
}

function showFacts(board) {
  const parts = [['', `${board.name}`], ['', `${board.product}, ${board.sm_count} SMs, `
    + `${board.arch}`], ['windows of ', board.plan || 'no stored plan: chosen for this report'],
  ['margin ', `${board.margin} of the budget`], ['noise ', String(board.noise)],
  ['evidence ', board.evidence]];
  byId('facts').replaceChildren(...parts.flatMap(([name, value], i) =>
    [i > 0 ? ' \u00b7 ' : '', name, make('b', {}, value)]));
}
