/** Why the fastest algorithm changes where it does, from what both pay there. Pure. */
import type { LabCrossover, LabCurve, LabSide } from '../../protocol/lab';
import { formatCount, formatSize, formatTime } from '../format';
import { ALGORITHM_SHORT } from './lab-words';

const name = ({ algorithm }: LabSide) => ALGORITHM_SHORT[algorithm];
const messages = (n: number) => `${formatCount(n)} message${n === 1 ? '' : 's'}`;

export function crossoverText({ bytes, timeUs, below, above }: LabCrossover): string {
  const begin = `Below ${formatSize(bytes)} ${name(below)} is faster, from there on ${name(above)} (${formatTime(timeUs)} there)`;
  const latency =
    below.rounds < above.rounds
      ? `${name(below)} has ${messages(below.rounds)} follow each other, ${name(above)} ${formatCount(above.rounds)}, and each costs the latency`
      : `both need about as many messages (${formatCount(below.rounds)} and ${formatCount(above.rounds)})`;
  const bytesText =
    above.bytes < below.bytes
      ? `but the busiest rank of ${name(above)} sends ${formatSize(above.bytes)}, that of ${name(below)} ${formatSize(below.bytes)}, and the larger the buffer the more that counts`
      : `their busiest ranks send ${formatSize(above.bytes)} and ${formatSize(below.bytes)}; what differs is what else the ports wait for`;
  return `${begin}: ${latency}; ${bytesText}.`;
}

/** Where nothing crosses: who is fastest throughout. */
export function noCrossoverText(curves: readonly LabCurve[]): string {
  const timed = curves.filter(({ points }) => points.length > 0);
  if (timed.length < 2) return 'Only one algorithm knows this collective.';
  const sums = timed.map((curve) => ({ curve, us: curve.points.reduce((sum, p) => sum + p.timeUs, 0) }));
  const best = sums.reduce((a, b) => (b.us < a.us ? b : a));
  return best.us === 0
    ? 'One rank alone has nothing to send.'
    : `At this number of ranks ${ALGORITHM_SHORT[best.curve.algorithm]} is the fastest, or as fast as any, at every size.`;
}
