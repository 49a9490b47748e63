/**
 * The state of a GradScaler: the scale as a bar of powers of two, and the steps since the scale changed, out of the
 * number at which it grows.
 */
import { floatDigits } from '../../../trace/moments/precision-sentence';
import { formatTick } from '../../draw/format';
import type { OperatorPicture } from './operator-picture';
import { LINE } from './places';

/** The length of the bar in powers of two. */
const LONGEST = 32;

export const scaler: OperatorPicture = {
  name: 'scaler',
  operators: ['scaler/scale-loss', 'scaler/skip-step', 'scaler/update'],
  shows: 'the scale of the loss as a bar, and the number of steps until the scale grows',
  draw(operation, sketch) {
    const { area, info } = operation;
    const { growthInterval } = info.config.gradScaler;
    const numberIn = (buffer: string) => operation.operand(buffer)?.values?.[0];
    const [scale, steps] = [numberIn('scaler.scale'), numberIn('scaler.growth_tracker')];
    const seed = numberIn('loss.grad');
    const begin = seed === undefined ? undefined : floatDigits(seed);
    const told =
      scale === undefined
        ? `backward begins with ${begin === undefined ? 'the scale' : `loss.grad = ${begin}: the loss was multiplied by the scale`}`
        : `scale 2^${formatTick(Math.log2(scale))} = ${scale}${steps === undefined ? '' : `, ${steps} of ${growthInterval} good steps`}`;
    sketch.word(
      { ...area, height: LINE },
      [told, scale === undefined ? `loss.grad = ${begin ?? 'scale'}` : `scale ${scale}`],
      { tone: 'ink' },
    );
    sketch.say(told);
    const height = Math.min(14, Math.max(4, (area.height - LINE - 8) / 2));
    const bar = { x: area.x, y: area.y + LINE + 2, width: area.width, height };
    const share = (part: number): number => Math.max(0, Math.min(1, part)) * area.width;
    sketch.box(bar, { fill: 'track', radius: 2, below: true });
    const length = scale ?? begin;
    if (length !== undefined)
      sketch.box({ ...bar, width: share(Math.log2(length) / LONGEST) }, { fill: 'gradient', radius: 2 });
    if (steps === undefined) return;
    const counted = { ...bar, y: bar.y + height + 4 };
    sketch.box(counted, { fill: 'track', radius: 2, below: true });
    sketch.box({ ...counted, width: share(steps / growthInterval) }, { fill: 'ink', radius: 2 });
  },
};
