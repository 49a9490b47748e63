/** Why two algorithms change places where they do, from what both pay there. Pure. */
import type { AlgorithmName } from '../../protocol/collective';
import type { LabCrossover, LabCurve, LabCurves, LabSide } from '../../protocol/lab';
import { formatCount, formatSize, formatTime } from '../format';
import { ALGORITHM_SHORT } from './lab-words';

const name = ({ algorithm }: LabSide) => ALGORITHM_SHORT[algorithm];
const messages = (n: number) => `${formatCount(n)} message${n === 1 ? '' : 's'}`;

export function crossoverText({ bytes, timeUs, below, above }: LabCrossover): string {
  const begin = `Below ${formatSize(bytes)} ${name(below)} is faster, from there on ${name(above)} (${formatTime(timeUs)})`;
  const latency =
    below.rounds < above.rounds
      ? `${name(below)} has ${messages(below.rounds)} follow each other, ${name(above)} ${formatCount(above.rounds)}, and each costs the latency`
      : `messages that follow each other: ${formatCount(below.rounds)} and ${formatCount(above.rounds)}`;
  const load =
    above.bytes < below.bytes
      ? `but the busiest rank of ${name(above)} sends ${formatSize(above.bytes)}, that of ${name(below)} ${formatSize(below.bytes)}, and the larger the buffer the more that counts`
      : `their busiest ranks send ${formatSize(above.bytes)} and ${formatSize(below.bytes)}; what differs is how long the others wait for them`;
  return `${begin}: ${latency}; ${load}.`;
}

/** Algorithms that the chosen one never changes places with, in a sentence a kind: 'ring is faster than naive at every size.' */
export function neverText({ overBytes, crossovers }: LabCurves, chosen: AlgorithmName): readonly string[] {
  const own = overBytes.find(({ algorithm }) => algorithm === chosen);
  const crossed = new Set(crossovers.flatMap(({ below, above }) => [below.algorithm, above.algorithm]));
  const others = overBytes.filter(({ algorithm }) => algorithm !== chosen && !crossed.has(algorithm));
  if (!own || overBytes.length < 2) return ['No other algorithm knows this collective.'];
  const kinds = { faster: [] as string[], slower: [] as string[], alike: [] as string[] };
  for (const { algorithm, points } of others) {
    const sum = (list: LabCurve['points']) => list.reduce((total, { timeUs }) => total + timeUs, 0);
    const [mine, its] = [sum(own.points), sum(points)];
    const kind = Math.abs(mine - its) <= 1e-3 * its ? 'alike' : mine < its ? 'faster' : 'slower';
    kinds[kind].push(ALGORITHM_SHORT[algorithm]);
  }
  const me = ALGORITHM_SHORT[chosen];
  const say = (names: readonly string[], how: string) =>
    names.length === 0 ? [] : [`At every size ${me} is ${how} ${new Intl.ListFormat('en').format(names)}.`];
  return [
    ...say(kinds.faster, 'at least as fast as'),
    ...say(kinds.slower, 'at most as fast as'),
    ...say(kinds.alike, 'exactly as fast as'),
  ];
}
