/**
 * Reads recordings of torch.profiler for the drawing `recording`: the middle step of each, divided by src/recordings
 * like every recording, and the operators of a short piece of it. The files are fixtures of src/recordings.
 */
import { must } from '../../base/invariant';
import { analyse } from '../../recordings/analyse';
import type { Intervals } from '../../recordings/analysis/intervals';
import { ownParts } from '../../recordings/analysis/own-parts';
import { dividedSteps } from '../../recordings/analysis/step-shares';
import { importFiles } from '../../recordings/import-files';
import type { RecordedRank, Recording } from '../../recordings/recording';
import type { RecordingFile } from '../../recordings/recording-file';
import { type RecordedSpan, spanAt } from '../../recordings/spans';
import { CLOSE_US, type PicturedOperator, type PicturedRank, type PicturedStep } from '../drawing/kinds/recording';

const FILES = import.meta.glob<string>('/src/recordings/fixtures/*/rank*.json.gz', {
  query: '?url&inline',
  import: 'default',
});
/** The picture closes gaps narrower than a pixel; the numbers still count them. */
export const PIXELS = 700;

/** `about`: the names of the fixtures, separated by commas. */
export const recordedSteps = (about: string): Promise<readonly PicturedStep[]> =>
  Promise.all(about.split(',').map(async (name) => pictured(name, await readRecording(name))));

/** `name`: of a fixture. */
export async function readRecording(name: string): Promise<Recording> {
  const own = Object.entries(FILES).filter(([path]) => path.includes(`/${name}/`));
  const files = await Promise.all(own.map(async ([path, load]) => fileOf(path, await load())));
  return must((await importFiles(files)).recording, `the recording ${name}`);
}

async function fileOf(path: string, url: string): Promise<RecordingFile> {
  const blob = await (await fetch(url)).blob();
  return { name: path.replace(/^.*\//, ''), size: blob.size, stream: () => blob.stream() };
}

function pictured(name: string, recording: Recording): PicturedStep {
  const analysis = analyse(recording);
  const middle = must(recording.steps[Math.floor(recording.steps.length / 2)], 'a step');
  const parts = ownParts(recording.collectives);
  const stepOf = (rank: RecordedRank) => rank.steps.findIndex(({ step }) => step === middle);
  const steps = recording.ranks.map((rank) => must(rank.steps[stepOf(rank)], 'the step of the rank'));
  const from = Math.min(...steps.map(({ startUs }) => startUs));
  const width = Math.max(...steps.map(({ endUs }) => endUs)) - from;
  const drawn = (when: Intervals) => joined(when, width / PIXELS).map((us) => Math.round(us - from));
  const ranks = recording.ranks.map((rank, index): PicturedRank => {
    const divided = must(dividedSteps(rank, parts.get(rank.rank) ?? [])[stepOf(rank)], 'the divided step');
    const share = must(
      analysis.steps.find((own) => own.rank === rank.rank && own.step === middle),
      'the numbers of the step',
    );
    const step = must(steps[index], 'the step of the rank');
    const leaves = operatorsOf(rank, 'leaves', step.startUs, step.endUs);
    return {
      rank: rank.rank,
      span: [step.startUs - from, step.endUs - from],
      compute: drawn(divided.compute),
      hidden: drawn(divided.hidden),
      waiting: drawn(divided.waiting),
      transfer: drawn(divided.transfer),
      loader: drawn(divided.idle.filter(({ cause }) => cause === 'loader').flatMap(({ when }) => when)),
      us: {
        ...{ step: share.durUs, compute: share.computeUs, hidden: share.overlapUs, waiting: share.waitingUs },
        ...{ transfer: share.transferUs, idle: share.idleUs },
      },
      idle: share.idle.slice(0, 1).map(({ cause, name: own, us }) => ({ loader: cause === 'loader', name: own, us })),
      operators: leaves.length,
    };
  });
  const [first] = recording.ranks;
  const [step] = steps;
  const within = (which: Operators) => (first && step ? operatorsOf(first, which, step.startUs, step.endUs) : []);
  const outer = within('outer');
  const closeFrom = must(outer[Math.floor(outer.length / 4)], 'an operator').startUs;
  const close = (spans: readonly RecordedSpan[]): readonly PicturedOperator[] =>
    spans
      .filter(({ startUs, durUs }) => startUs + durUs > closeFrom && startUs < closeFrom + CLOSE_US)
      .map(({ startUs, durUs, name: own }) => [Math.round(startUs - closeFrom), Math.round(durUs), own]);
  const straggler = analysis.stragglers[0];
  return {
    name,
    step: middle,
    ranks,
    close: { fromUs: Math.round(closeFrom - from), outer: close(outer), leaves: close(within('leaves')) },
    collectives: recording.collectives.filter((own) => own.step === middle).length,
    late: straggler && { rank: straggler.rank, byUs: straggler.byUs },
  };
}

/** Intervals with the gaps below `least` closed. */
export function joined(when: Intervals, least: number): number[] {
  const made: number[] = [];
  for (let index = 0; index + 1 < when.length; index += 2) {
    const [from = 0, to = 0] = when.slice(index, index + 2);
    const last = made.length - 1;
    if (last > 0 && from - (made[last] ?? 0) < least) made[last] = Math.max(to, made[last] ?? 0);
    else made.push(from, to);
  }
  return made;
}

type Operators = 'outer' | 'leaves';

/**
 * Operators on the lanes that compute: `leaves` call no other operator and do the work, no operator calls `outer` ones.
 */
function operatorsOf(rank: RecordedRank, which: Operators, fromUs: number, toUs: number): readonly RecordedSpan[] {
  return rank.lanes
    .filter(({ role }) => role === 'compute')
    .flatMap((lane) => {
      const spans = Array.from({ length: lane.spans.count }, (_, index) => spanAt(rank, lane, index));
      const operators = spans.filter(({ kind }) => kind === 'operator');
      if (which === 'leaves') return operators.filter(({ depth }, at) => (operators[at + 1]?.depth ?? 0) <= depth);
      let coveredUs = Number.NEGATIVE_INFINITY;
      return operators.filter(({ startUs, durUs }) => {
        if (startUs < coveredUs) return false;
        coveredUs = startUs + durUs;
        return true;
      });
    })
    .filter(({ startUs, durUs }) => startUs >= fromUs && startUs + durUs <= toUs)
    .sort((a, b) => a.startUs - b.startUs);
}
