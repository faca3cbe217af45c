// What stands behind the curves: windows as bands and limits as lines.
//
// options.windows: lo, hi, color, label, kind of the edge below; options.lines: y, label, color.
const overlay = {
  id: 'overlay',

  beforeDatasetsDraw(chart, args, options) {
    const {ctx, chartArea} = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
    ctx.clip();
    for (const window of options.windows || []) drawBand(chart, window);
    for (const line of options.lines || []) drawLimit(chart, line);
    ctx.restore();
  },
};

// An edge lies between its row count and the next.
function edgePixel(chart, rows) {
  const {x} = chart.scales;
  return x.getPixelForValue(Math.min(Math.max(rows + 0.5, x.min), x.max));
}

function drawBand(chart, {lo, hi, color, label, kind}) {
  const {ctx, chartArea} = chart;
  const left = edgePixel(chart, lo);
  const right = edgePixel(chart, hi);
  if (right <= left) return;
  ctx.fillStyle = withAlpha(color, kind === 'top' ? 0.04 : 0.11);
  ctx.fillRect(left, chartArea.top, right - left, chartArea.height);
  if (lo > 0) {
    ctx.strokeStyle = color;
    ctx.lineWidth = 1;
    ctx.setLineDash(kind === 'accuracy' ? [] : [3, 3]);
    ctx.beginPath();
    ctx.moveTo(left, chartArea.top);
    ctx.lineTo(left, chartArea.bottom);
    ctx.stroke();
    ctx.setLineDash([]);
  }
  drawBandLabel(chart, left, right, label, color);
}

// Along the band where the name fits, else down its left side; not at all in a sliver.
function drawBandLabel(chart, left, right, label, color) {
  const {ctx, chartArea} = chart;
  ctx.font = '11px system-ui, sans-serif';
  ctx.fillStyle = color;
  ctx.textBaseline = 'top';
  const room = right - left - 10;
  if (ctx.measureText(label).width <= room) {
    ctx.textAlign = 'left';
    ctx.fillText(label, left + 5, chartArea.top + 5);
  } else if (room >= 8) {
    ctx.save();
    ctx.translate(left + 4, chartArea.top + 5);
    ctx.rotate(Math.PI / 2);
    ctx.globalAlpha = 0.75;  // curves cross it
    ctx.textBaseline = 'bottom';
    ctx.textAlign = 'left';
    ctx.fillText(shortened(ctx, label, chartArea.height - 12), 0, 0);
    ctx.restore();
  }
}

function shortened(ctx, label, room) {
  let text = label;
  while (text.length > 3 && ctx.measureText(text).width > room) text = `${text.slice(0, -2)}\u2026`;
  return text;
}

function drawLimit(chart, {y, label, color}) {
  const {ctx, chartArea} = chart;
  const scale = chart.scales.y;
  if (y < scale.min || y > scale.max) return;
  const pixel = scale.getPixelForValue(y);
  ctx.strokeStyle = color;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([7, 4]);
  ctx.beginPath();
  ctx.moveTo(chartArea.left, pixel);
  ctx.lineTo(chartArea.right, pixel);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.font = '11px system-ui, sans-serif';
  ctx.fillStyle = color;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  ctx.fillText(label, chartArea.right - 5, pixel - 2);
}
