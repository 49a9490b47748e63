/**
 * The ring all-reduce of four virtual ranks on one GPUDevice, compared with its bare copies and additions, and with one
 * bare kernel of least traffic.
 */
import { openCollective } from '../../src/bench/bench-collective';
import { bareFold, bareRing } from '../bare/ring';
import { inTurn, middle, ratioOf, type Study, type StudyOptions, type StudyResult } from './study';

const RANKS = 4;
const MIB = 2 ** 20;
const BAR = 1.25;

async function measure(bytes: number, options: StudyOptions) {
  const length = bytes / 4;
  const own = await openCollective(
    { op: 'allReduce', reduceOp: 'sum', algorithm: 'ring', worldSize: RANKS, length, root: 0, nodes: 1 },
    { device: 'webgpu', placement: 'shared', gpu: options.gpu },
  );
  try {
    for (let rank = 0; rank < RANKS; rank++) await own.write(rank, new Float32Array(length).fill(rank + 1));
    await own.run(1);
    const sum = (RANKS * (RANKS + 1)) / 2;
    for (let rank = 0; rank < RANKS; rank++) {
      const wrong = (await own.read(rank)).findIndex((value) => value !== sum);
      if (wrong >= 0) throw new Error(`all-reduce: element ${wrong} of rank ${rank} is not ${sum}`);
      // The sum of zeros is zero, however often it is computed.
      await own.write(rank, new Float32Array(length));
    }
    if (!own.device) throw new Error('no GPUDevice');
    const ring = bareRing(own.device, RANKS, bytes);
    const fold = bareFold(own.device, RANKS, bytes);
    const taken = await inTurn({ own: own.run, ring: ring.run, fold: fold.run }, options);
    ring.dispose();
    fold.dispose();
    return taken;
  } finally {
    await own.dispose();
  }
}

export const allReduceShared: Study = {
  id: 'all-reduce-shared',
  title: `ring all-reduce, ${RANKS} ranks on one GPUDevice`,
  async run(options): Promise<StudyResult> {
    const rows: StudyResult['rows'][number][] = [];
    const ratios: StudyResult['ratios'][number][] = [];
    for (const bytes of [MIB, 16 * MIB]) {
      const title = `${bytes / MIB} MiB a rank`;
      const { own, ring, fold } = await measure(bytes, options);
      rows.push({ title, values: [middle(own), middle(ring), middle(fold)] });
      ratios.push(
        {
          title,
          by: 'Lockstep to bare copies and additions',
          value: ratioOf(own, ring),
          ...(bytes === 16 * MIB ? { bar: BAR } : {}),
        },
        { title, by: 'Lockstep to one bare kernel', value: ratioOf(own, fold) },
      );
    }
    return {
      columns: ['Lockstep, ms', 'bare copies and additions, ms', 'one bare kernel, ms'],
      rows,
      ratios,
    };
  },
};
