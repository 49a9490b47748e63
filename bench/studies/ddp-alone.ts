/** The cost of DDP for a single process: the same net trained by DDP at world size 1 and by Single, on both devices. */
import { benchSession } from '../../src/bench/bench';
import { workload } from '../workloads';
import { inTurn, middle, ratioOf, type Study, type StudyResult } from './study';

const BAR = 1.05;
const NETS = ['small-2-4-2-1', 'mlp-784-sgd'] as const;

export const ddpAlone: Study = {
  id: 'ddp-alone',
  title: 'DDP at world size 1',
  async run(options): Promise<StudyResult> {
    const rows: StudyResult['rows'][number][] = [];
    const ratios: StudyResult['ratios'][number][] = [];
    for (const device of ['webgpu', 'cpu'] as const) {
      for (const id of NETS) {
        const work = workload(id);
        if (work.kind !== 'training') continue;
        const open = (mode: 'single' | 'ddp') =>
          benchSession({ ...work.config, device, mode, worldSize: 1, placement: 'shared' }, work.files, options.gpu);
        const [single, ddp] = [await open('single'), await open('ddp')];
        const run = (session: typeof single) => async (count: number) => void (await session.step(count));
        const taken = await inTurn({ ddp: run(ddp), single: run(single) }, options);
        const title = `${work.title}, ${device}`;
        rows.push({ title, values: [1000 / middle(taken.ddp), 1000 / middle(taken.single)] });
        ratios.push({ title, by: 'time per step, DDP to Single', value: ratioOf(taken.ddp, taken.single), bar: BAR });
        await ddp.dispose();
        await single.dispose();
      }
    }
    return { columns: ['DDP, steps/s', 'Single, steps/s'], rows, ratios };
  },
};
