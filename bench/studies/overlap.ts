/**
 * How much time DDP saves if it sends buckets during the backward pass: DDP with and without overlap, ranks in workers;
 * measured on this machine, and modelled on each machine of the simulator.
 */
import { benchModel, benchSession } from '../../src/bench/bench';
import { workload } from '../workloads';
import { inTurn, middle, ratioOf, type Study, type StudyResult } from './study';

const BUCKET_MIB = 0.125;
const MACHINES = ['nvlink8', 'pcie4', 'ethernet10g'] as const;

export const overlap: Study = {
  id: 'overlap',
  title: `DDP with overlap, ranks in workers, MLP 784-256-128-10, buckets of ${BUCKET_MIB} MiB`,
  async run(options): Promise<StudyResult> {
    const work = workload('mlp-784-sgd');
    if (work.kind !== 'training') throw new Error('a net is trained');
    const rows: StudyResult['rows'][number][] = [];
    const ratios: StudyResult['ratios'][number][] = [];
    for (const worldSize of [2, 4]) {
      const config = (on: boolean) => ({
        ...work.config,
        device: 'webgpu',
        mode: 'ddp',
        worldSize,
        placement: 'workers',
        ddp: { overlap: on, bucketCapMb: BUCKET_MIB },
      });
      const on = await benchSession(config(true), work.files, options.gpu);
      const off = await benchSession(config(false), work.files, options.gpu);
      const run = (session: typeof on) => async (count: number) => void (await session.step(count));
      const taken = await inTurn({ on: run(on), off: run(off) }, options);
      await on.dispose();
      await off.dispose();
      const title = `${worldSize} ranks, measured`;
      rows.push({ title, values: [1000 * middle(taken.on), 1000 * middle(taken.off)] });
      ratios.push({ title, by: 'time per step, overlap to none', value: ratioOf(taken.on, taken.off) });
      for (const hardware of MACHINES) {
        const [modelledOn, modelledOff] = [true, false].map((each) => benchModel(config(each), work.files, hardware));
        if (!modelledOn || !modelledOff) continue;
        const name = `${worldSize} ranks, modelled: ${modelledOn.label}`;
        rows.push({ title: name, values: [modelledOn.stepUs, modelledOff.stepUs] });
        ratios.push({
          title: name,
          by: 'time per step, overlap to none',
          value: modelledOn.stepUs / modelledOff.stepUs,
        });
      }
    }
    return { columns: ['overlap, µs per step', 'none, µs per step'], rows, ratios };
  },
};
