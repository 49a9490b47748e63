/** Norms and clip_grad_norm_ of models in half precision on the WGSL kernels, near torch 2.13. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { HALF_NORM_RUNS } from '../testing/half-norm-runs';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

type Run = (typeof HALF_NORM_RUNS)[number];

/** bfloat16 has eight bits, so numbers between 1 and 2 are this far apart. */
const ROUNDING = 2 ** -7;

const [others, bfloat16] = [/master|group|1-norm/, /^bf16/].map((names) =>
  HALF_NORM_RUNS.filter(({ name }) => names.test(name)),
) as [Run[], Run[]];

async function isNearTorch({ config, losses, weights }: Run): Promise<void> {
  const blueprint = createBlueprint(parseConfig({ ...config, device: 'webgpu' }), {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(node.gpu, true), gpu: node.gpu });
  try {
    const records = await training.run(losses.length);
    const far = records.flatMap(({ perRank }, step) =>
      perRank.map((loss, rank) => Math.abs(loss - at(at(losses, step), rank))),
    );
    expect(Math.max(...far)).toBeLessThan(ROUNDING);
    const own = must((await training.weights()).devices[0], 'rank 0');
    for (const [name, values] of weights) {
      const apart = values.map((value, i) => Math.abs(value - at(must(own.get(name), name), i)));
      expect(Math.max(...apart), name).toBeLessThan(ROUNDING);
    }
  } finally {
    await training.dispose();
  }
}

test.each(bfloat16.filter((run) => !others.includes(run)))('$name', place({ modes: ['single', 'ddp'] }), isNearTorch);

test.each(others)('$name', place({ rest: 'bfloat16 alone has kernels of its own, tried above' }), isNearTorch);
