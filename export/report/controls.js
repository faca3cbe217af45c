// The controls at the top, the address, and the keys of the charts.

// Routes of the board whose names hold every word of the filter.
function filtered() {
  const words = byId('filter').value.toLowerCase().split(/[\s_]+/).filter(Boolean);
  return state.board.routes.filter((route) => words.every((word) => route.name.includes(word)));
}

function fillRoutes() {
  const routes = filtered();
  byId('route').replaceChildren(...routes.map((route) =>
    make('option', {value: route.name}, route.name)));
  byId('filter').setAttribute('aria-invalid', routes.length === 0 ? 'true' : 'false');
  return routes;
}

function choose(board, route) {
  const changed = state.board !== board;
  state.board = board;
  if (changed) {
    byId('filter').value = '';
    showBoard();
  }
  const routes = fillRoutes();
  if (!routes.includes(route)) {
    byId('filter').value = '';
    fillRoutes();
  }
  state.route = route;
  byId('board').value = board.name;
  byId('route').value = route.name;
  history.replaceState(null, '', `#${board.name}/${route.name}`);
  showRoute();
}

// An address that someone else wrote may be no encoded text.
function addressText() {
  const text = location.hash.slice(1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// From "#board/route"; what is not there becomes the first that is.
function chooseByAddress() {
  const [boardName, routeName] = addressText().split('/');
  const board = data.boards.find((one) => one.name === boardName) || state.board || data.boards[0];
  const route = board.routes.find((one) => one.name === routeName) || board.routes[0];
  if (board !== state.board || route !== state.route) choose(board, route);
}

function step(by) {
  const routes = filtered();
  if (routes.length === 0) return;
  const index = routes.indexOf(state.route);
  choose(state.board, routes[(index + by + routes.length) % routes.length]);
  announce(state.route.name);
}

// Left and right move through the row counts of a chart, and read them out.
function readByKeys(canvas, reading) {
  let at = -1;
  canvas.addEventListener('keydown', (event) => {
    const chart = Chart.getChart(canvas);
    if (!chart || !['ArrowLeft', 'ArrowRight', 'Escape'].includes(event.key)) return;
    event.preventDefault();
    const places = [...new Set(chart.data.datasets.flatMap((set) => set.data.map((p) => p.x)))]
      .sort((a, b) => a - b);
    at = event.key === 'Escape' ? -1
      : Math.min(Math.max(at + (event.key === 'ArrowRight' ? 1 : -1), 0), places.length - 1);
    const active = at < 0 ? [] : chart.data.datasets.flatMap((set, datasetIndex) => {
      const index = set.data.findIndex((point) => point.x === places[at]);
      return index < 0 ? [] : [{datasetIndex, index}];
    });
    const first = active[0] && chart.getDatasetMeta(active[0].datasetIndex).data[active[0].index];
    chart.tooltip.setActiveElements(active, first ? {x: first.x, y: first.y} : {x: 0, y: 0});
    chart.setActiveElements(active);
    chart.update('none');
    reading.textContent = active.length === 0 ? ''
      : [...chart.tooltip.title, ...chart.tooltip.body.map((part) => part.lines.join(' ')),
        ...chart.tooltip.footer].join(' \u00b7 ');
  });
  canvas.addEventListener('blur', () => { at = -1; });
}

function start() {
  byId('board').replaceChildren(...data.boards.map((board) =>
    make('option', {value: board.name}, `${board.name} (${board.product})`)));
  byId('board').addEventListener('change', () => {
    const board = data.boards.find((one) => one.name === byId('board').value);
    choose(board, board.routes.find((one) => one.name === state.route?.name) || board.routes[0]);
  });
  byId('filter').addEventListener('input', () => {
    const routes = fillRoutes();
    if (routes.length === 0) return;
    choose(state.board, routes.includes(state.route) ? state.route : routes[0]);
  });
  byId('route').addEventListener('change', () => choose(state.board,
    state.board.routes.find((one) => one.name === byId('route').value)));
  byId('previous').addEventListener('click', () => step(-1));
  byId('next').addEventListener('click', () => step(1));
  byId('program-sets').addEventListener('click', ({target}) => {
    const set = target.dataset.set;
    if (!set) return;
    const choice = choiceOf();
    setHidden(choice, (hidden) => choice.route.programs.forEach(({name}) => {
      if (set === 'all' || (set === 'routed' && choice.routed.has(name))) hidden.delete(name);
      else hidden.add(name);
    }));
    showPrograms();
  });
  setRadios('unit', [[false, '\u00b5s'], [true, 'over the streaming floor']], state.over,
    (value) => { state.over = value; drawCharts(); });
  setRadios('history-scope', [['route', 'this route and board'],
    ['archs', 'this route, every board'], ['board', 'this board'], ['all', 'all']], state.history,
  (value) => { state.history = value; showHistory(); });
  setRadios('doubts-scope', [['route', 'this route'], ['board', 'the board']], state.doubts,
    (value) => { state.doubts = value; showDoubtsOf(); });
  for (const name of ['time', 'error', 'history']) {
    readByKeys(byId(`${name}-chart`), byId(`${name}-reading`));
  }
  window.addEventListener('hashchange', chooseByAddress);
  for (const query of ['(prefers-color-scheme: dark)', '(max-width: 40rem)']) {
    window.matchMedia(query).addEventListener('change', () => state.route && showRoute());
  }
  if (data.boards.some((board) => board.routes.length > 0)) chooseByAddress();
}

start();
