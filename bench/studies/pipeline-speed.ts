/**
 * Pipelines whose ranks share one GPUDevice, compared with Single with the same batch: the cost of cutting model and
 * batch.
 */
import { benchSession } from '../../src/bench/bench';
import { workload } from '../workloads';
import { inTurn, middle, ratioOf, type Study, type StudyResult } from './study';

/** Half of Single's steps per second. */
const BAR = 2;
const SCHEDULES = ['GPipe', '1F1B'] as const;
/** The net of the workload has three layers with weights; with a fourth, each of four ranks has a stage. */
const LAYERS = [
  { type: 'Linear', in: 784, out: 256 },
  { type: 'ReLU' },
  { type: 'Linear', in: 256, out: 128 },
  { type: 'ReLU' },
  { type: 'Linear', in: 128, out: 64 },
  { type: 'ReLU' },
  { type: 'Linear', in: 64, out: 10 },
];

export const pipelineSpeed: Study = {
  id: 'pipeline-speed',
  title: 'pipelines of four ranks on one GPUDevice, four micro-batches, beside Single',
  async run(options): Promise<StudyResult> {
    const work = workload('mlp-784-sgd');
    if (work.kind !== 'training') throw new Error('a workload that trains');
    const base = { ...work.config, model: { layers: LAYERS }, device: 'webgpu', placement: 'shared' };
    const open = (more: object) => benchSession({ ...base, ...more }, work.files, options.gpu);
    const single = await open({ mode: 'single' });
    const rows: StudyResult['rows'][number][] = [];
    const ratios: StudyResult['ratios'][number][] = [];
    for (const schedule of SCHEDULES) {
      const pipeline = await open({ mode: 'pipeline', mesh: { pp: 4 }, pipeline: { schedule, microBatches: 4 } });
      const times = await inTurn(
        {
          own: async (count) => void (await pipeline.step(count)),
          single: async (count) => void (await single.step(count)),
        },
        options,
      );
      await pipeline.dispose();
      const title = `MLP 784-256-128-64-10, batch 128, SGD: ${schedule}`;
      rows.push({ title, values: [1000 / middle(times.own), 1000 / middle(times.single)] });
      ratios.push({ title, by: 'Single', value: ratioOf(times.own, times.single), bar: BAR });
    }
    await single.dispose();
    return { columns: ['pipeline, steps/s', 'Single, steps/s'], rows, ratios };
  },
};
