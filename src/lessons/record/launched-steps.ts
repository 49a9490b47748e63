/**
 * Reads recordings of a GPU for the drawing `launched-steps`: when the CPU launched each step, and when its kernels
 * ran. The files are fixtures of src/recordings, which finds the kernels of a step.
 */
import { must } from '../../base/invariant';
import { dividedSteps } from '../../recordings/analysis/step-shares';
import type { RecordedRank } from '../../recordings/recording';
import { spanAt } from '../../recordings/spans';
import type { LaunchedSteps } from '../drawing/kinds/launched-steps';
import { joined, PIXELS, readRecording } from './recorded-steps';

/** `about`: the names of the fixtures, separated by commas. */
export const launchedSteps = (about: string): Promise<readonly LaunchedSteps[]> =>
  Promise.all(about.split(',').map(async (name) => launchedIn(name, must((await readRecording(name)).ranks[0], name))));

function launchedIn(name: string, rank: RecordedRank): LaunchedSteps {
  const spansOf = (role: 'host' | 'compute') =>
    rank.lanes
      .filter((lane) => lane.role === role)
      .flatMap((lane) => Array.from({ length: lane.spans.count }, (_, index) => spanAt(rank, lane, index)));
  const marks = spansOf('host').filter(({ kind }) => kind === 'step');
  const kernels = spansOf('compute');
  const fromUs = must(marks[0], 'a marked step').startUs;
  const endUs = Math.max(...rank.steps.map((step) => step.endUs));
  const drawn = (when: readonly number[]) =>
    joined(when, (endUs - fromUs) / PIXELS).map((us) => Math.round(us - fromUs));
  const firstUs = must(rank.steps[0], 'a step').startUs;
  const before = kernels.filter(({ startUs }) => startUs < firstUs);
  return {
    name,
    endUs: endUs - fromUs,
    before: drawn(before.flatMap(({ startUs, durUs }) => [startUs, startUs + durUs])),
    steps: dividedSteps(rank, []).map(({ compute }, index) => {
      const { step, startUs, endUs: toUs } = must(rank.steps[index], 'a step');
      const mark = must(
        marks.find((own) => own.name === `ProfilerStep#${step}`),
        'the mark of the step',
      );
      return {
        step,
        cpu: [mark.startUs - fromUs, mark.startUs + mark.durUs - fromUs],
        gpu: [startUs - fromUs, toUs - fromUs],
        kernels: drawn(compute),
        busyUs: compute.reduce((sum, us, at) => sum + (at % 2 === 0 ? -us : us), 0),
        count: kernels.filter((own) => own.kind === 'kernel' && own.startUs >= startUs && own.startUs < toUs).length,
      };
    }),
  };
}
