// What is chosen, and what follows from it. The address keeps board and route.

const state = {board: null, route: null, view: 0, over: false, inPlace: false, hidden: new Map(),
  history: 'route', doubts: 'route'};

function choiceOf() {
  const {board, route} = state;
  const inPlace = state.inPlace && route.in_place;
  const windows = inPlace ? route.in_place : route.windows;
  const routed = new Set(windows.map((window) => window.program));
  const hidden = state.hidden.get(route.width + route.pass) || new Set();
  const visible = new Set(route.programs.map((one) => one.name).filter((one) => !hidden.has(one)));
  return {board, route, windows, routed, visible, hidden, over: state.over,
    times: route.times[Math.min(state.view, route.times.length - 1)]};
}

// Colors go to routed programs, in the order of their windows.
function marksOf(choice) {
  const colors = palette();
  const marks = new Map([['stream', {color: colors.ink, shape: 'line'}],
    ['eager', {color: colors.soft, shape: 'line'}]]);
  for (const name of choice.routed) {
    const index = marks.size - 2;
    marks.set(name, {color: colors.series[index % colors.series.length],
      shape: kMarks[index % kMarks.length]});
  }
  for (const {name} of choice.route.programs) {
    if (!marks.has(name)) marks.set(name, {color: colors.muted, shape: 'circle'});
  }
  return marks;
}

function timeHint({times, route, board, over}) {
  if (!times) return 'This route has no times on this board.';
  const borrowed = route.timed_on === board.name ? ''
    : `Borrowed: this board is not timed; the times are those of ${route.timed_on}, slow FP64 `
      + 'added where this board has it. ';
  return `${borrowed}Median of paired processes. Dashed: a kernel that only moves the same bytes. `
    + 'Bands: windows; a solid edge is there for accuracy, a dashed one for speed.'
    + (over ? ' What is far slower is cut off.' : '');
}

function errorHint({route}, errors) {
  if (route.pass === 'fwd') return 'A forward route has no dw.';
  if (!errors) return 'This width has no accuracy evidence on this board.';
  return 'Largest of all inputs and families, against FP64 at the program\u2019s own rstd. Dashed: '
    + 'the FP32 eager formula. Programs that share their dw share a curve.';
}

// Shows a chart and its table, or hides both.
function showPart(name, there, draw) {
  byId(name).querySelector('.plot').hidden = !there;
  byId(`${name}-data`).hidden = !there;
  byId(`${name}-reading`).textContent = '';
  if (there) draw();
  else Chart.getChart(byId(`${name}-chart`))?.destroy();
}

function drawCharts() {
  const choice = choiceOf();
  const marks = marksOf(choice);
  const errors = choice.route.pass === 'bwd' && choice.board.errors[choice.route.width];
  byId('time-hint').textContent = timeHint(choice);
  byId('error-hint').textContent = errorHint(choice, errors);
  showPart('time', Boolean(choice.times), () => {
    drawTimes(choice, marks);
    showTimesTable(choice);
  });
  showPart('error', Boolean(errors), () => {
    drawErrors(choice, marks);
    showErrorsTable(choice);
  });
}

const kSvg = 'http://www.w3.org/2000/svg';

function swatchOf(mark) {
  const svg = document.createElementNS(kSvg, 'svg');
  svg.setAttribute('viewBox', '0 0 24 12');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(kSvg, 'path');
  line.setAttribute('d', 'M0 6H24');
  line.setAttribute('stroke', mark.color);
  line.setAttribute('stroke-width', '3');
  svg.append(line);
  return svg;
}

function showPrograms() {
  const choice = choiceOf();
  const marks = marksOf(choice);
  const rank = (one) => (choice.routed.has(one.name) ? [...choice.routed].indexOf(one.name) : 99);
  const programs = [...choice.route.programs].sort((a, b) => rank(a) - rank(b));
  byId('program-list').replaceChildren(...programs.map(({name}) => {
    const box = make('input', {type: 'checkbox', 'data-program': name});
    box.checked = choice.visible.has(name);
    box.addEventListener('change', () => {
      setHidden(choice, (hidden) => (box.checked ? hidden.delete(name) : hidden.add(name)));
    });
    const label = make('label', {title: name}, box, swatchOf(marks.get(name)),
      make('span', {class: choice.routed.has(name) ? 'program routed' : 'program'},
        shortName(name, choice.route)));
    for (const event of ['mouseenter', 'focusin']) {
      label.addEventListener(event, () => highlight(name, true));
    }
    for (const event of ['mouseleave', 'focusout']) {
      label.addEventListener(event, () => highlight(name, false));
    }
    return make('li', {}, label);
  }));
}

function setHidden(choice, change) {
  const key = choice.route.width + choice.route.pass;
  const hidden = new Set(choice.hidden);
  change(hidden);
  state.hidden.set(key, hidden);
  drawCharts();
}

function highlight(name, on) {
  const chart = Chart.getChart(byId('time-chart'));
  const found = chart?.data.datasets.find((one) => one.label === name);
  if (!found) return;
  found.saved ??= {borderColor: found.borderColor, borderWidth: found.borderWidth};
  found.borderColor = on ? palette().ink : found.saved.borderColor;
  found.borderWidth = on ? 3 : found.saved.borderWidth;
  chart.update('none');
}

function showHistory() {
  const {board, route} = state;
  const same = (entry) => entry.routes.some((name) => baseRoute(name) === route.name);
  const ofBoard = (entry) => (entry.board ? entry.board === board.name : entry.arch === board.arch);
  const entries = data.history.filter((entry) => ({
    route: same(entry) && ofBoard(entry),
    archs: same(entry),
    board: ofBoard(entry),
    all: true,
  })[state.history]);
  const scope = {route: `${route.name} on ${board.name}`, archs: `${route.name} on every board`,
    board: board.name, all: 'every board and route'}[state.history];
  byId('history').querySelector('.plot').hidden = entries.length === 0;
  drawHistory(entries, scope);
  showHistoryTable(entries, `Edges of ${scope}`);
}

function showDoubtsOf() {
  const {board, route} = state;
  const ofRoute = state.doubts === 'route';
  const doubts = board.doubts.filter((doubt) =>
    !ofRoute || doubt.routes.length === 0 || doubt.routes.includes(route.name));
  showDoubts(doubts, board, `Uncertain of ${ofRoute ? route.name : board.name}`);
}

// Fills a fieldset with radio buttons of [value, text]; hidden where there is one alone.
function setRadios(id, options, chosen, onChange) {
  const fieldset = byId(id);
  fieldset.hidden = options.length < 2;
  fieldset.querySelectorAll('label').forEach((label) => label.remove());
  for (const [value, text] of options) {
    const radio = make('input', {type: 'radio', name: id, value: String(value)});
    radio.checked = value === chosen;
    radio.addEventListener('change', () => onChange(value));
    fieldset.append(make('label', {}, radio, text));
  }
}

function showRoute() {
  const {board, route} = state;
  setRadios('view', route.times.map((times, i) => [i, times.view]),
    Math.min(state.view, route.times.length - 1), (value) => { state.view = value; drawCharts(); });
  setRadios('calls', route.in_place ? [[false, 'out of place'], [true, 'in place']] : [],
    state.inPlace, (value) => { state.inPlace = value; showPrograms(); drawCharts(); });
  byId('verdict').hidden = !route.no_plan;
  byId('verdict').textContent = `No windows: ${route.no_plan}`;
  document.title = `${route.name}, ${board.name}: Fenestra report`;
  showPrograms();
  drawCharts();
  showWindows(choiceOf());
  showHistory();
  showDoubtsOf();
}

function showBoard() {
  showFacts(state.board);
  showRoutes(state.board);
  showEnvironments(state.board);
}
