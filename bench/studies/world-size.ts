/**
 * How DDP scales with the world size at one global batch: steps per second on this machine, which all ranks share, and
 * the modelled time of a step on machines with one device per rank.
 */
import { benchModel, benchSession } from '../../src/bench/bench';
import { workload } from '../workloads';
import { inTurn, middle, type Study, type StudyResult } from './study';

const WORLDS = [1, 2, 4, 8, 16] as const;
const MACHINES = ['nvlink8', 'ethernet10g'] as const;

const CASES = [
  { id: 'mlp-784-sgd', placement: 'shared', batch: 128 },
  // One row per rank at least.
  { id: 'small-2-4-2-1', placement: 'shared', batch: 16 },
  { id: 'small-2-4-2-1', placement: 'workers', batch: 16 },
] as const;

export const worldSize: Study = {
  id: 'world-size',
  title: 'DDP, growth with the world size',
  async run(options): Promise<StudyResult> {
    const rows: StudyResult['rows'][number][] = [];
    const notes: string[] = [];
    let labels: readonly string[] = [];
    for (const { id, placement, batch } of CASES) {
      const work = workload(id);
      if (work.kind !== 'training') continue;
      for (const world of WORLDS) {
        const config = {
          ...work.config,
          batchSize: batch,
          device: 'webgpu',
          mode: 'ddp',
          worldSize: world,
          placement,
        };
        const title = `${work.title.replace(/batch \d+/, `batch ${batch}`)}, ${placement}, ${world} rank${world === 1 ? '' : 's'}`;
        const models = MACHINES.map((hardware) => benchModel(config, work.files, hardware));
        const modelled = models.map(({ stepUs }) => stepUs);
        labels = models.map(({ label }) => label);
        try {
          const session = await benchSession(config, work.files, options.gpu);
          const { own } = await inTurn({ own: async (count) => void (await session.step(count)) }, options);
          await session.dispose();
          rows.push({ title, values: [1000 / middle(own), ...modelled] });
        } catch (error) {
          rows.push({ title, values: [undefined, ...modelled] });
          notes.push(`${title}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    }
    return {
      columns: ['measured, steps/s', ...labels.map((label) => `modelled: ${label}, µs per step`)],
      rows,
      ratios: [],
      notes,
    };
  },
};
