/** The script of fully_shard beside tensor parallelism: the mesh, and what is cut in which order. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { shardedListing } from './listing';
import { unitsOf } from './units';

const printed = (more: ConfigInput): string =>
  shardedListing(
    parseConfig({
      mode: 'sharded',
      model: { layers: mlpLayers([2, 8, 8, 1], 'Tanh') },
      data: { type: 'xor' },
      batchSize: 16,
      ...more,
    }),
  )
    .map(({ text }) => text)
    .join('\n');

test('tp and dpShard: parallelize_module, then fully_shard on the other axis, then the optimiser', () => {
  const script = printed({ mesh: { dpShard: 2, tp: 2 }, dropLast: true, clipGradNorm: 1 });
  const lines = [
    'from torch.distributed.fsdp import fully_shard',
    "mesh = init_device_mesh(device.type, (2, 2), mesh_dim_names=('dp_shard', 'tp'))",
    "dp_rank = mesh.get_local_rank('dp_shard')",
    "model = parallelize_module(model, mesh['tp'], plan)",
    "    fully_shard(unit, mesh=mesh['dp_shard'])",
    "fully_shard(model, mesh=mesh['dp_shard'])",
    'optimizer =',
    'num_replicas=2, rank=dp_rank',
    'whole = [g.full_tensor() if isinstance(g, DTensor) else g for g in grads]',
  ];
  const places = lines.map((line) => script.indexOf(line));
  expect(places).not.toContain(-1);
  expect(places.slice(1, 7)).toEqual(places.slice(1, 7).toSorted((a, b) => a - b));
  expect(script).not.toContain('DistributedDataParallel');
});

test('with replicas: a mesh of three axes, and the two of the data for fully_shard', () => {
  const script = printed({
    mesh: { dpReplicate: 2, dpShard: 2, tp: 2 },
    accumulate: 2,
    sharded: { syncEveryPass: false },
  });
  expect(script).toContain("(2, 2, 2), mesh_dim_names=('dp_replicate', 'dp_shard', 'tp'))");
  expect(script).toContain("dp_rank = mesh.get_local_rank('dp_replicate') * 2 + mesh.get_local_rank('dp_shard')");
  expect(script).toContain("fully_shard(model, mesh=mesh['dp_replicate', 'dp_shard'])");
  expect(script).toContain('model.set_requires_gradient_sync(batches % 2 == 0)');
});

test('a MixedPrecisionPolicy of the units, and of the root with an output in float32', () => {
  const script = printed({ worldSize: 2, sharded: { paramDtype: 'bfloat16', reduceDtype: 'float32' } });
  for (const line of [
    'from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard',
    'policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)',
    'root_policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32, output_dtype=torch.float32)',
    '    fully_shard(unit, mesh=mesh, mp_policy=policy)',
    'fully_shard(model, mesh=mesh, mp_policy=root_policy)',
  ])
    expect(script).toContain(line);
  const [policy, root] = [script.indexOf('policy = '), script.indexOf('root_policy = ')];
  expect(policy).toBeLessThan(root);
  expect(printed({ worldSize: 2 })).not.toContain('policy');
});

test('layers that share a weight are no units: the root holds the weight, as fully_shard demands', () => {
  const layers: ConfigInput['model'] = {
    layers: [
      { type: 'Linear', in: 2, out: 4 },
      { type: 'Linear', in: 4, out: 4, name: 'twin' },
      { type: 'Tanh' },
      { type: 'Linear', in: 4, out: 4, tied: 'twin.weight' },
      { type: 'Linear', in: 4, out: 1 },
    ],
  };
  const units = unitsOf(parseConfig({ mode: 'sharded', worldSize: 2, model: layers }));
  expect(units.map(({ path }) => path)).toEqual(['', '0', '4']);
  expect(units[0]?.parameters.map(({ name }) => name)).toEqual(['twin.weight', 'twin.bias', '3.bias']);
});
