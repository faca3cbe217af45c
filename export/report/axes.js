// Axes and colors of the charts, from the style in force.

const styleOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function palette() {
  return {
    ink: styleOf('--ink'),
    soft: styleOf('--soft'),
    grid: styleOf('--grid'),
    muted: styleOf('--muted'),
    limit: styleOf('--limit'),
    paper: styleOf('--paper'),
    series: styleOf('--series').split(/\s+/),
  };
}

// Beside the color, so that no reading rests on color alone.
const kMarks = ['circle', 'rect', 'triangle', 'rectRot', 'star', 'crossRot', 'rectRounded',
  'cross'];

function withAlpha(color, alpha) {
  return color + Math.round(255 * alpha).toString(16).padStart(2, '0');
}

function baseAxis(colors, title) {
  return {
    title: {display: true, text: title, color: colors.soft},
    grid: {color: colors.grid, borderColor: colors.muted, tickColor: colors.grid},
    ticks: {color: colors.soft, maxRotation: 0},
  };
}

const isPhone = () => window.matchMedia('(max-width: 40rem)').matches;

// Rows come in powers of two, so their ticks do too.
function rowAxis(colors, range) {
  const axis = baseAxis(colors, 'rows');
  return {
    ...axis,
    type: 'logarithmic',
    min: range[0],
    max: range[1],
    afterBuildTicks: (scale) => {
      const step = isPhone() ? 16 : 4;
      scale.ticks = [];
      for (let rows = 1; rows <= scale.max; rows *= step) {
        if (rows >= scale.min) scale.ticks.push({value: rows});
      }
    },
    ticks: {...axis.ticks, callback: (value) => String(value), autoSkip: false},
  };
}

// Ticks at 1, 2 and 5 times powers of ten; at the powers alone where there are many.
function logAxis(colors, title, format, range = [undefined, undefined]) {
  const axis = baseAxis(colors, title);
  return {
    ...axis,
    type: 'logarithmic',
    min: range[0],
    max: range[1],
    afterBuildTicks: (scale) => {
      const first = Math.floor(Math.log10(scale.min));
      const last = Math.ceil(Math.log10(scale.max));
      const factors = last - first > 3 ? [1] : [1, 2, 5];
      scale.ticks = [];
      for (let power = first; power <= last; ++power) {
        for (const factor of factors) {
          const value = Number(`${factor}e${power}`);
          if (value >= scale.min && value <= scale.max) scale.ticks.push({value});
        }
      }
    },
    ticks: {...axis.ticks, callback: (value) => format(value), autoSkip: false},
  };
}

function linearAxis(colors, title, format, range) {
  const axis = baseAxis(colors, title);
  return {...axis, type: 'linear', min: range[0], max: range[1],
    ticks: {...axis.ticks, callback: format, includeBounds: false}};
}

// Smallest and largest of the numbers, each given room.
function rangeOf(values, room) {
  const finite = values.filter((value) => Number.isFinite(value) && value > 0);
  if (finite.length === 0) return [0.1, 10];
  return [Math.min(...finite) / room, Math.max(...finite) * room];
}
