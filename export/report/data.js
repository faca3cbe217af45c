// The data of the report, and how its values read.
const data = JSON.parse(document.getElementById('data').textContent);

const byId = (id) => document.getElementById(id);

// An element with text and children; attributes are set, never parsed.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function announce(text) {
  byId('announcer').textContent = text;
}

const grouped = (number) => number.toLocaleString('en-US');

function significant(value, digits) {
  if (!Number.isFinite(value)) return 'inf';
  return String(Number(value.toPrecision(digits)));
}

const microseconds = (ns) => significant(ns / 1000, 4);
const fractionOf = (value) => (value === 'inf' ? Infinity : value);

const rowsText = (lo, hi) => `(${lo}, ${hi === data.max_rows ? 'max' : hi}]`;

// What all programs of a route have in common need not stand in a chart.
function shortName(program, route) {
  return program.replace(/^(bwd|fwd)_(res_)?/, '').replace(`_h${route.width}_`, '_');
}

// The outputs whose classes a route has, with what each says.
function classesText(window, route) {
  if (window.lo === 0) return '-';
  const outputs = route.pass === 'bwd' ? ['dx', 'dw'] : ['y', 'rstd'];
  if (route.pass === 'fwd' && route.name.startsWith('fwd_res')) outputs.push('residual_out');
  const said = outputs.map((name) => window.classes[name]);
  if (said.every((one) => one === said[0])) return said[0];
  return outputs.map((name, i) => `${name.replace('_', ' ')} ${said[i]}`).join(', ');
}

// The route without what is promised of dw, which published edges state and windows do not.
const baseRoute = (name) => name.replace(/_(nd|bi)$/, '');

const basisText = (basis) => ({none: '-', stood_in: 'stood in'})[basis] || basis;
