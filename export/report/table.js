// Tables that sort by any column and copy as tab-separated text.

// A column: title; text(row), what is shown and copied; value(row), what is sorted by, null last;
// number, program, wide: how it is set; node(row), shown instead of the text.
function makeTable(label, columns, rows, tall = false) {
  const body = make('tbody');
  const heads = columns.map((column) => {
    const button = make('button', {type: 'button'}, column.title);
    return make('th', {scope: 'col', class: column.number ? 'number' : null}, button);
  });
  let shown = rows;

  const fill = () => {
    body.replaceChildren(...shown.map((row) => make('tr', {}, ...columns.map((column) => {
      const kind = ['number', 'program', 'wide'].filter((name) => column[name]).join(' ');
      return make('td', {class: kind || null}, column.node ? column.node(row) : column.text(row));
    }))));
  };

  heads.forEach((head, index) => head.firstChild.addEventListener('click', () => {
    const descending = head.getAttribute('aria-sort') === 'ascending';
    heads.forEach((other) => other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
    shown = sorted(rows, columns[index], descending);
    fill();
    announce(`${label}, by ${columns[index].title}, ${descending ? 'descending' : 'ascending'}`);
  }));

  const copy = make('button', {type: 'button', 'aria-label': `Copy the table: ${label}`}, 'Copy');
  copy.addEventListener('click', () => copyText(tabSeparated(columns, shown), copy));
  fill();
  return make('div', {class: 'table'},
    make('div', {class: 'bar'}, make('span', {}, label), copy),
    make('div', {class: tall ? 'scroll tall' : 'scroll', tabindex: '0', role: 'region',
      'aria-label': label},
    make('table', {}, make('thead', {}, make('tr', {}, ...heads)), body)));
}

function sorted(rows, column, descending) {
  const value = column.value || column.text;
  const sign = descending ? -1 : 1;
  return rows.map((row) => [value(row), row]).sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === 'number') return sign * (a - b);
    return sign * a.localeCompare(b, 'en', {numeric: true});
  }).map(([, row]) => row);
}

function tabSeparated(columns, rows) {
  const line = (cells) => cells.map((cell) => String(cell).replace(/[\t\r\n]+/g, ' ')).join('\t');
  return [line(columns.map((column) => column.title)),
    ...rows.map((row) => line(columns.map((column) => column.text(row))))].join('\n') + '\n';
}

async function copyText(text, button) {
  const done = (await copyByClipboard(text)) || copyBySelection(text);
  button.focus();
  button.textContent = done ? 'Copied' : 'Not copied';
  announce(done ? 'Copied' : 'The browser did not let the table be copied');
  setTimeout(() => { button.textContent = 'Copy'; }, 1500);
}

async function copyByClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

// For browsers that keep the clipboard from files.
function copyBySelection(text) {
  const area = make('textarea', {class: 'hidden'});
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}

// Column shorthands.
const textColumn = (title, text, more = {}) => ({title, text, ...more});
const numberColumn = (title, value, format) => ({
  title,
  number: true,
  value,
  text: (row) => (value(row) === null ? '-' : format(value(row))),
});
