/**
 * The ring all-reduce of ranks in workers, each with its own GPUDevice, compared with bare chains of readback, transfer
 * and write of the same bytes.
 */
import { openCollective } from '../../src/bench/bench-collective';
import { createChain } from '../bare/chain';
import { inTurn, middle, ratioOf, type Study, type StudyOptions, type StudyResult } from './study';

const MIB = 2 ** 20;
const BAR = 1.5;
const CASES = [
  { ranks: 2, bytes: MIB },
  { ranks: 2, bytes: 4 * MIB },
  { ranks: 4, bytes: MIB },
  { ranks: 4, bytes: 4 * MIB },
] as const;

async function measure({ ranks, bytes }: (typeof CASES)[number], options: StudyOptions) {
  const length = bytes / 4;
  const own = await openCollective(
    { op: 'allReduce', reduceOp: 'sum', algorithm: 'ring', worldSize: ranks, length, root: 0, nodes: 1 },
    { device: 'webgpu', placement: 'workers', gpu: options.gpu },
  );
  const hops = await createChain({ ranks, bytes, way: 'hops' }, options.gpu);
  const host = await createChain({ ranks, bytes, way: 'host' }, options.gpu);
  try {
    for (let rank = 0; rank < ranks; rank++) await own.write(rank, new Float32Array(length).fill(rank + 1));
    await own.run(1);
    const sum = (ranks * (ranks + 1)) / 2;
    for (let rank = 0; rank < ranks; rank++) {
      const wrong = (await own.read(rank)).findIndex((value) => value !== sum);
      if (wrong >= 0) throw new Error(`all-reduce: element ${wrong} of rank ${rank} is not ${sum}`);
      await own.write(rank, new Float32Array(length));
    }
    return await inTurn({ own: own.run, hops: hops.run, host: host.run }, options);
  } finally {
    hops.dispose();
    host.dispose();
    await own.dispose();
  }
}

export const allReducePorts: Study = {
  id: 'all-reduce-ports',
  title: 'ring all-reduce over MessagePorts, one GPUDevice per rank',
  async run(options): Promise<StudyResult> {
    const rows: StudyResult['rows'][number][] = [];
    const ratios: StudyResult['ratios'][number][] = [];
    for (const each of CASES) {
      const title = `${each.ranks} ranks, ${each.bytes / MIB} MiB a rank`;
      const { own, hops, host } = await measure(each, options);
      rows.push({ title, values: [middle(own), middle(hops), middle(host)] });
      ratios.push(
        { title, by: 'Lockstep to a bare chain of hops', value: ratioOf(own, hops), bar: BAR },
        { title, by: 'Lockstep to one readback, hops on the host, one write', value: ratioOf(own, host) },
      );
    }
    return {
      columns: ['Lockstep, ms', 'bare chain of hops, ms', 'one readback, hops on the host, one write, ms'],
      rows,
      ratios,
    };
  },
};
