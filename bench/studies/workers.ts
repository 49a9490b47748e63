/**
 * DDP with one worker per rank on the CPU device, where a step is mostly messages: steps per second of wall time and of
 * CPU time. In a page that is cross-origin isolated the workers send messages through shared memory, in other pages
 * through ports. All world sizes take turns.
 */
import { benchSession } from '../../src/bench/bench';
import { canSpawnWorkers } from '../../src/runtime/launch/can-spawn-workers';
import { workload } from '../workloads';
import { inTurn, middle, type Study, type StudyOptions, type StudyResult } from './study';

const WORLDS = [4, 8, 16] as const;

async function open(worldSize: number, { gpu }: StudyOptions) {
  const work = workload('small-2-4-2-1');
  if (work.kind !== 'training') throw new Error(`${work.id} does not train`);
  const own = { batchSize: 16, device: 'cpu', mode: 'ddp', worldSize, placement: 'workers' };
  return benchSession({ ...work.config, ...own }, work.files, gpu);
}

async function measure(options: StudyOptions, leastSteps: number): Promise<StudyResult> {
  if (!canSpawnWorkers()) throw new Error('Ranks have workers only in a page.');
  const sessions = await Promise.all(WORLDS.map((worldSize) => open(worldSize, options)));
  const { cpuSeconds = async () => Number.NaN } = options;
  const spent = sessions.map(() => ({ steps: 0, seconds: 0 }));
  try {
    const runs = sessions.map((session, k) => async (count: number) => {
      const before = await cpuSeconds();
      await session.step(count);
      const sum = spent[k];
      if (!sum) return;
      sum.steps += count;
      sum.seconds += (await cpuSeconds()) - before;
    });
    const taken = await inTurn(Object.fromEntries(WORLDS.map((world, k) => [world, runs[k] ?? nothing])), options);
    const perSecond = WORLDS.map((world) => 1000 / middle(taken[world] ?? []));
    const rows = WORLDS.map((world, k) => {
      const { steps, seconds } = spent[k] ?? { steps: 0, seconds: 0 };
      return { title: `${world} ranks`, values: [perSecond[k], steps / seconds] };
    });
    const last = WORLDS.length - 1;
    return {
      columns: ['steps per second', 'steps per second of CPU time'],
      rows,
      ratios: [
        {
          title: `${WORLDS[last]} ranks`,
          by: `time of a step to 1/${leastSteps} s`,
          value: leastSteps / (perSecond[last] ?? Number.NaN),
          bar: 1,
        },
      ],
    };
  } finally {
    for (const session of sessions) await session.dispose();
  }
}

const nothing = async () => {};

export const plainWorkers: Study = {
  id: 'workers-plain',
  title: 'DDP, 2-4-2-1, batch 16, one worker per rank, messages through ports',
  run: (options) => measure(options, 30),
};

export const isolatedWorkers: Study = {
  id: 'workers-isolated',
  title: 'DDP, 2-4-2-1, batch 16, one worker per rank, messages through shared memory',
  isolated: true,
  async run(options) {
    if (!globalThis.crossOriginIsolated) throw new Error('The page is not cross-origin isolated.');
    return measure(options, 300);
  },
};
