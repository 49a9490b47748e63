/**
 * A tensor in half precision, or the gradients after unscale_: a histogram of the values' magnitudes in powers of two,
 * with float16's range as a band. Values left of the band become 0 in float16; values right of it overflow.
 */
import { HALF_NAMES } from '../../../protocol/half-names';
import { halfOf } from '../../../protocol/half-of';
import { FLOAT16, magnitudesOf } from '../../../trace/magnitudes';
import type { Rect } from '../../draw/geometry';
import type { DrawnOperand } from './drawn';
import type { OperatorPicture } from './operator-picture';
import { captioned, footed } from './places';
import { ridge } from './ridge';
import type { Sketch } from './sketch';

/** Powers of two. */
const AXIS = [-40, 24] as const;
const { smallest: SMALLEST, full: FULL, end: LARGEST } = FLOAT16;

export const magnitudes: OperatorPicture = {
  name: 'magnitudes',
  operators: [
    'precision/cast',
    'precision/round',
    'precision/pack',
    'precision/unpack',
    'halves/copy',
    'scaler/unscale',
  ],
  shows: 'the sizes of the values as powers of two, and the range of float16',
  draw(operation, sketch) {
    const { area, detail, info, event, together } = operation;
    const isUnscale = event.name === 'scaler/unscale';
    // Gradients in half precision are unscaled one after the other.
    const later = together.filter(({ name }) => name === event.name).flatMap(({ writes }) => writes);
    const unscaled = [...operation.writes, ...later.flatMap((buffer) => operation.operand(buffer) ?? [])];
    const all = isUnscale ? unscaled.filter(({ category }) => category === 'gradient') : operation.writes.slice(0, 1);
    const [first] = all;
    if (!first) return;
    const values = all.flatMap((operand) => (operand.values ? [...operand.values] : []));
    const { powers, zeros, notFinite } = magnitudesOf(values);
    const isFloat = isUnscale || first.category === 'gradient';
    const half = halfOf(info.config);
    const type = isFloat || !half ? 'float32' : HALF_NAMES[half];
    const name = isUnscale ? 'gradients' : first.name.replace(/ in \w+$/, '');
    const { caption, body } = captioned(area, detail !== 'least');
    const { foot, body: middle } = footed(body, detail === 'full');
    const lost = [
      ...(zeros > 0 ? [`${zeros} of ${values.length} are 0`] : []),
      ...(notFinite > 0 ? [`${notFinite} are inf or NaN`] : []),
    ].join(', ');
    const told = `${name} in ${type}${lost === '' ? '' : `: ${lost}`}`;
    sketch.word(caption, [told, lost === '' ? type : lost, type], { tone: 'ink' });
    sketch.say(
      `how large the values of ${told.replace(' in ', ' are, in ')}; float16 reaches from 2^${SMALLEST} to 65504`,
    );
    range(sketch, middle);
    ridge(sketch, powers, middle, { range: AXIS, tone: toneOf(first) });
    labels(sketch, foot);
  },
};

const toneOf = ({ category, buffer }: DrawnOperand) =>
  category === 'gradient' || buffer.endsWith('.grad') ? 'gradient' : 'activation';

const xIn = (rect: Rect, power: number): number => rect.x + ((power - AXIS[0]) / (AXIS[1] - AXIS[0])) * rect.width;

function range(sketch: Sketch, rect: Rect): void {
  const [low, high] = [xIn(rect, SMALLEST), xIn(rect, LARGEST)];
  sketch.box({ ...rect, x: low, width: high - low }, { fill: 'track', radius: 2, below: true });
  for (const power of [SMALLEST, FULL, LARGEST]) {
    const x = xIn(rect, power);
    const path = [
      { x, y: rect.y },
      { x, y: rect.y + rect.height },
    ];
    sketch.line(path, 'soft', power === FULL ? { dash: [2, 3], below: true } : { below: true });
  }
}

function labels(sketch: Sketch, foot: Rect): void {
  const width = foot.width / 4;
  const at = (power: number): Rect => ({ ...foot, x: xIn(foot, power) - width / 2, width });
  sketch.word(at(SMALLEST), ['2⁻²⁴, smallest', '2⁻²⁴'], { align: 'center' });
  sketch.word(at(0), ['1'], { align: 'center' });
  sketch.word(at(LARGEST), ['65504, largest', '65504'], { align: 'center' });
}
