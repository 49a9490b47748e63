/**
 * Words for why two algorithms' times cross at a point, from both algorithms' costs there; and how NCCL chooses. Pure.
 */
import type { AlgorithmName } from '../../protocol/collective';
import type { LabCrossover, LabCurve, LabCurves, LabSide } from '../../protocol/lab';
import { ALGORITHMS } from '../../protocol/words/algorithms';
import { formatCount, formatSize, formatTime } from '../draw/format';

const name = ({ algorithm }: LabSide) => ALGORITHMS[algorithm].short;
const messages = (n: number) => `${formatCount(n)} message${n === 1 ? '' : 's'}`;

/** Loads whose relative difference is smaller count as equal. */
const SAME = 0.01;

export function crossoverText({ bytes, timeUs, below, above }: LabCrossover): string {
  const begin = `Below ${formatSize(bytes)} ${name(below)} is faster: ${whyBelow(below, above)}. From there on (${formatTime(timeUs)})`;
  // The remaining term is less than a thousandth of the time.
  if (Math.abs(above.bytes - below.bytes) <= SAME * below.bytes)
    return `${begin} both take the same time within a thousandth: their busiest ranks send ${formatSize(above.bytes)} either way, and α is tiny compared with that time.`;
  const load =
    above.bytes < below.bytes
      ? `its busiest rank sends ${formatSize(above.bytes)}, the busiest rank of ${name(below)} ${formatSize(below.bytes)}`
      : `their busiest ranks send ${formatSize(above.bytes)} and ${formatSize(below.bytes)}; the other ranks wait for them for different times`;
  return `${begin} ${name(above)} is at least as fast: ${load}.`;
}

function whyBelow(below: LabSide, above: LabSide): string {
  if (below.algorithm === 'naive')
    return `each of its ${messages(below.rounds)} keeps the root’s port busy for α/2 only, while ${name(above)} waits α for each of ${formatCount(above.rounds)}`;
  const chains = `its longest chain has ${messages(below.rounds)}, the longest chain of ${name(above)} has ${formatCount(above.rounds)}`;
  return below.rounds < above.rounds ? `${chains}, and each costs α` : chains;
}

/** Sentences about algorithms whose curves never cross the chosen one's: 'ring is faster than naive at every size.' */
export function neverText({ overBytes, crossovers }: LabCurves, chosen: AlgorithmName): readonly string[] {
  const own = overBytes.find(({ algorithm }) => algorithm === chosen);
  const crossed = new Set(crossovers.flatMap(({ below, above }) => [below.algorithm, above.algorithm]));
  const others = overBytes.filter(({ algorithm }) => algorithm !== chosen && !crossed.has(algorithm));
  if (!own || overBytes.length < 2) return ['No other algorithm can do this collective.'];
  const kinds = { faster: [] as string[], slower: [] as string[], alike: [] as string[] };
  for (const { algorithm, points } of others) {
    const sum = (list: LabCurve['points']) => list.reduce((total, { timeUs }) => total + timeUs, 0);
    const [mine, its] = [sum(own.points), sum(points)];
    const kind = Math.abs(mine - its) <= 1e-3 * its ? 'alike' : mine < its ? 'faster' : 'slower';
    kinds[kind].push(ALGORITHMS[algorithm].short);
  }
  const me = ALGORITHMS[chosen].short;
  const list = (names: readonly string[]) => new Intl.ListFormat('en').format(names);
  const say = (names: readonly string[], sentence: (all: string, are: string) => string) =>
    names.length === 0 ? [] : [sentence(list(names), names.length === 1 ? 'is' : 'are')];
  return [
    ...say(kinds.faster, (all) => `${me} is at least as fast as ${all} at every size.`),
    ...say(kinds.slower, (all, are) => `${all} ${are} at least as fast as ${me} at every size.`),
    ...say(kinds.alike, (all, are) => `${all} ${are} as fast as ${me} at every size.`),
  ];
}

const BY_SIZE =
  'NCCL chooses algorithm and protocol by size. LL and LL128 send a flag with every few bytes: a hop is quick, but bandwidth is lost.' +
  ' Simple sends whole blocks. On H100 the switch itself can add (NVLS). The curves here use one protocol at every size;' +
  ' the modelled clock of a training step chooses the protocol by size, as NCCL does.';

const TREE =
  'NCCL’s tree is a double binary tree across nodes; within a node it is a chain. It carries out all_reduce only.';

const NO_HALVING =
  'NCCL has no halving-doubling, although it needs as few bytes as the ring in fewer rounds. Partners are up to N/2 ranks apart and' +
  ' all pairs exchange at once, so the links in the middle of the network carry the messages of all pairs. In a ring each link' +
  ' carries the messages of one rank, whatever the topology. The ring also needs two connections per rank instead of log₂ N, works for any N, and can be' +
  ' pipelined in small slices. MPI libraries use halving-doubling for buffers of middle size.';

/** Sentences about NCCL's choice among the compared algorithms. */
export function ncclText({ overBytes }: LabCurves): readonly string[] {
  const has = (algorithm: AlgorithmName) => overBytes.some((curve) => curve.algorithm === algorithm);
  return [BY_SIZE, ...(has('tree') ? [TREE] : []), ...(has('halvingDoubling') ? [NO_HALVING] : [])];
}
