/** The ring all-reduce of virtual ranks on one GPUDevice beside plain copies of as many bytes, after its sums have been checked. */
import { benchAllReduce } from '../src/session/bench-kernels';
import type { AllReduceFigure } from './result';
import { median } from './summary.mjs';
import { timed } from './timed';

const RANKS = 4;
const BUCKET_BYTES = 16 * 1024 * 1024;

export async function measureAllReduce(
  gpu: GPU | undefined,
  { rounds, milliseconds }: { readonly rounds: number; readonly milliseconds: number },
): Promise<AllReduceFigure> {
  const length = BUCKET_BYTES / 4;
  const reduce = await benchAllReduce(RANKS, length, gpu);
  try {
    await check(reduce, length);
    const times: { reduce: number[]; copy: number[] } = { reduce: [], copy: [] };
    for (let round = 0; round < rounds; round++) {
      times.reduce.push(1000 / (await timed(reduce.run, milliseconds)));
      times.copy.push(1000 / (await timed(reduce.copy, milliseconds)));
    }
    const middle = (list: number[]) => median(list.sort((a, b) => a - b));
    return {
      ranks: RANKS,
      bucketBytes: BUCKET_BYTES,
      sentBytes: reduce.bytes,
      milliseconds: middle(times.reduce),
      copyMilliseconds: middle(times.copy),
    };
  } finally {
    await reduce.dispose();
  }
}

/** Rank r holds r + 1 everywhere; afterwards each must hold the sum. */
async function check({ write, run, read }: Awaited<ReturnType<typeof benchAllReduce>>, length: number): Promise<void> {
  for (let rank = 0; rank < RANKS; rank++) await write(rank, new Float32Array(length).fill(rank + 1));
  await run(1);
  const sum = (RANKS * (RANKS + 1)) / 2;
  for (let rank = 0; rank < RANKS; rank++) {
    const wrong = (await read(rank)).findIndex((value) => value !== sum);
    if (wrong >= 0) throw new Error(`all-reduce: element ${wrong} of rank ${rank} is not ${sum}`);
  }
  // Zeros stay zeros however often they are summed.
  for (let rank = 0; rank < RANKS; rank++) await write(rank, new Float32Array(length));
}
