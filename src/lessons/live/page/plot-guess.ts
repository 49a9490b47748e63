/** Draws the guess in the plot of a prediction: a diamond at the asked setting, joined to the run's answer. */
const SVG = 'http://www.w3.org/2000/svg';
const RADIUS = 5;

interface Axis {
  readonly from: number;
  readonly to: number;
  readonly pixelFrom: number;
  readonly pixelTo: number;
}

function axisOf(value: unknown): Axis | undefined {
  if (!Array.isArray(value) || value.length !== 4 || !value.every(Number.isFinite)) return undefined;
  const [from, to, pixelFrom, pixelTo] = value.map(Number);
  if (from === undefined || to === undefined || pixelFrom === undefined || pixelTo === undefined) return undefined;
  return from === to ? undefined : { from, to, pixelFrom, pixelTo };
}

/** A value beyond the end of an axis is placed at its end. */
function place({ from, to, pixelFrom, pixelTo }: Axis, value: number): number {
  const part = Math.min(Math.max((value - from) / (to - from), 0), 1);
  return pixelFrom + part * (pixelTo - pixelFrom);
}

function scaleOf(plot: SVGSVGElement): { readonly x: Axis; readonly y: Axis } | undefined {
  try {
    const read: unknown = JSON.parse(plot.dataset['scale'] ?? '');
    if (typeof read !== 'object' || read === null) return undefined;
    const x = axisOf('x' in read ? read.x : undefined);
    const y = axisOf('y' in read ? read.y : undefined);
    return x && y && { x, y };
  } catch {
    return undefined;
  }
}

const element = (name: string, attributes: Readonly<Record<string, string | number>>): SVGElement => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
};

export function forgetGuess(plot: SVGSVGElement): void {
  plot.querySelector('.plot-guess')?.remove();
}

/** `words`: the guess, formatted. */
export function plotGuess(plot: SVGSVGElement, guess: number, answer: number, words: string): void {
  forgetGuess(plot);
  const scale = scaleOf(plot);
  const at = Number(plot.dataset['x']);
  if (!scale || !Number.isFinite(at)) return;
  const [x, y, answerY] = [place(scale.x, at), place(scale.y, guess), place(scale.y, answer)];
  const group = element('g', { class: 'plot-guess' });
  const right = x > (scale.x.pixelFrom + scale.x.pixelTo) / 2;
  const text = element('text', { x: right ? x - 10 : x + 10, y: y + 4, 'text-anchor': right ? 'end' : 'start' });
  text.textContent = `your guess, ${words}`;
  group.append(
    element('line', { x1: x, x2: x, y1: y, y2: answerY }),
    element('path', { d: `M${x} ${y - RADIUS}L${x + RADIUS} ${y}L${x} ${y + RADIUS}L${x - RADIUS} ${y}Z` }),
    text,
  );
  plot.append(group);
}
