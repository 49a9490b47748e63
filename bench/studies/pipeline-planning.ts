/**
 * How the time to compile, verify, plan and simulate a pipeline's Program grows with ranks and micro-batches. Uses no
 * device.
 */
import { benchPlanning } from '../../src/bench/bench';
import { middle, type Study, type StudyResult } from './study';

const SIZES = [
  [2, 4],
  [4, 8],
  [8, 16],
  [16, 4],
  [16, 16],
  [16, 32],
  [16, 64],
] as const;
const WIDTH = 16;
/** Milliseconds to compile, verify, plan and simulate 16 ranks x 32 micro-batches. */
const MOST_MS = 1000;

const configOf = (ranks: number, microBatches: number) => ({
  mode: 'pipeline',
  mesh: { pp: ranks },
  model: {
    layers: Array.from({ length: ranks }, (_, stage) => [
      { type: 'Linear', in: stage === 0 ? 2 : WIDTH, out: stage === ranks - 1 ? 1 : WIDTH },
      ...(stage === ranks - 1 ? [] : [{ type: 'Tanh' }]),
    ]).flat(),
  },
  data: { type: 'spiral', samples: 16 * microBatches },
  batchSize: 2 * microBatches,
  dropLast: true,
  device: 'cpu',
  // torch refuses 1F1B with fewer micro-batches than stages.
  pipeline: { schedule: microBatches < ranks ? 'GPipe' : '1F1B', microBatches },
});

export const pipelinePlanning: Study = {
  id: 'pipeline-planning',
  title: 'making the Program of a pipeline ready',
  run({ rounds }): Promise<StudyResult> {
    const rows: StudyResult['rows'][number][] = [];
    const ratios: StudyResult['ratios'][number][] = [];
    for (const [ranks, microBatches] of SIZES) {
      const times = Array.from({ length: rounds }, () => benchPlanning(configOf(ranks, microBatches)));
      const of = (name: 'compileMs' | 'verifyMs' | 'planMs' | 'simulateMs') => middle(times.map((each) => each[name]));
      const parts = [of('compileMs'), of('verifyMs'), of('planMs'), of('simulateMs')];
      const totalMs = parts.reduce((sum, ms) => sum + ms, 0);
      const title = `${ranks} ranks, ${microBatches} micro-batches`;
      rows.push({ title, values: [times[0]?.instructions, ...parts, totalMs] });
      if (ranks === 16 && microBatches === 32)
        ratios.push({ title, by: 'one second', value: totalMs / MOST_MS, bar: 1 });
    }
    const columns = ['instructions', 'compile, ms', 'verify, ms', 'plan memory, ms', 'simulate, ms', 'together, ms'];
    return Promise.resolve({ columns, rows, ratios });
  },
};
