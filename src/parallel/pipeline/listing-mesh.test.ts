/** The PyTorch script of a pipeline on a mesh: replicas of stages, layers cut along tp, shards, shared weights. */
import { expect, test } from 'vitest';
import type { ConfigInput } from '../../protocol/config';
import { listedText } from './testing/listed-text';

test('replicas: DDP as it is usual, without rebuilt buckets, or none, as torch gets the schedule right', () => {
  const dp = (schedule: '1F1B' | 'GPipe' | 'ZBVZeroBubble', microBatches: number) =>
    listedText({ mesh: { pp: 2, dp: 2 }, pipeline: { schedule, microBatches }, ddp: { bucketCapMb: 0.5 } });
  const usual = dp('1F1B', 4);
  expect(usual).toContain("DistributedDataParallel(module, process_group=mesh.get_group('dp'), bucket_cap_mb=0.5)");
  expect(usual).toContain("init_device_mesh(device.type, (2, 2), mesh_dim_names=('pp', 'dp'))");
  expect(usual).toContain('DistributedSampler(dataset, num_replicas=2, rank=dp_rank, drop_last=True)');
  expect(usual).toContain('mine = [pp_rank]');
  expect(usual).toContain('batch_size=16,');
  for (const text of [dp('1F1B', 2), dp('GPipe', 4)]) expect(text).toContain('find_unused_parameters=True)');
  const halves = dp('ZBVZeroBubble', 4);
  expect(halves).not.toContain('DistributedDataParallel(');
  expect(halves).toContain("all_reduce(grad, group=mesh.get_group('dp'))\n            grad /= 2");
});

test('mesh.tp: the plan cuts the layers of the stages that the rank has, before anything takes their parameters', () => {
  const text = listedText({ mesh: { pp: 2, tp: 2 }, batchSize: 16 });
  const lines = [
    'from fnmatch import fnmatch',
    'from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module',
    "mesh = init_device_mesh(device.type, (2, 2), mesh_dim_names=('pp', 'tp'))",
    "pp_rank = mesh.get_local_rank('pp')",
    'mine = [pp_rank]',
    "    '0': ColwiseParallel(),",
    "            parallelize_module(layer, mesh['tp'], style)",
    'own = {p for module in modules for p in module.parameters()}',
    'foreach=False',
    "group=mesh.get_group('pp')",
  ];
  const places = lines.map((line) => text.indexOf(line));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(listedText({})).not.toContain("'tp'");
});

test('mesh.tp in replicas: DistributedDataParallel has the local parts, so the script divides and clips by hand', () => {
  const text = listedText({
    ...{ mesh: { pp: 2, dpReplicate: 2, tp: 2 }, batchSize: 16, clipGradNorm: 1 },
    pipeline: { microBatches: 4 },
  });
  const lines = [
    'cut = {name for name, p in model.named_parameters() if isinstance(p, DTensor) and p.placements[0].is_shard()}',
    "DistributedDataParallel(module, device_mesh=mesh['dp']",
    'own = {p for module in modules for p in module.parameters()}',
    'scale_grads=False',
    '    grad /= 4',
    "torch.distributed.all_reduce(norm, group=mesh.get_group('tp'))  # over the parts of each layer",
    "torch.distributed.all_reduce(norm, group=mesh.get_group('pp'))  # over all stages",
    'nn.utils.clip_grads_with_norm_(parameters.values(), 1, norm, foreach=False)',
    'optimizer.step()',
  ];
  const places = lines.map((line) => text.indexOf(line));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test('mesh.tp: the loss of a tensor group is printed once', () => {
  expect(listedText({ mesh: { pp: 2, tp: 2 } })).toContain("if last and mesh.get_local_rank('tp') == 0:");
  expect(listedText({ mesh: { pp: 2, tp: 2, dpReplicate: 2 } })).toContain(
    "    if dp_rank == 0 and mesh.get_local_rank('tp') == 0:",
  );
});

test('mesh.tp: a pair of layers that is cut unevenly at the border of two stages stays whole', () => {
  const net = (width: number): ConfigInput => ({
    mesh: { pp: 2, tp: 2 },
    model: {
      layers: [
        { type: 'Linear', in: 2, out: width },
        { type: 'Tanh' },
        { type: 'Linear', in: width, out: 4 },
        { type: 'Linear', in: 4, out: 1 },
      ],
    },
    pipeline: { split: [2, 2] },
  });
  expect(listedText(net(6))).toContain("    '0': ColwiseParallel(),");
  const uneven = listedText(net(5));
  expect(uneven).toContain('# 0, 2: a stage cannot hand on parts of different widths');
  expect(uneven).toContain('plan = {}');
});

/** Tokens, and a head that is cut by vocabulary; with `tied` the head has the weight of the tokens. */
const TOKENS = (tied: boolean): ConfigInput => ({
  mesh: { pp: 1, tp: 2 },
  model: {
    layers: [
      { type: 'TokenEmbedding', vocab: 12, context: 8, width: 8, name: '' },
      { type: 'Linear', in: 8, out: 12, bias: false, name: 'head', ...(tied ? { tied: 'tok.weight' } : {}) },
    ],
  },
  loss: { type: 'CrossEntropyLoss' },
  data: { type: 'sequence', samples: 40, length: 4 },
  pipeline: { microBatches: 2 },
  batchSize: 8,
});

test('mesh.tp: weights tied within a stage are tied again, or lent by one module inside DDP', () => {
  const text = listedText(TOKENS(true));
  const again = text.lastIndexOf('model.head.weight = model.tok.weight');
  expect(again).toBeGreaterThan(text.indexOf("parallelize_module(layer, mesh['tp'], style)"));
  expect(text).not.toContain('total = sum(');
  const wrapped = listedText({ ...TOKENS(true), mesh: { pp: 1, tp: 2, dpReplicate: 2 } });
  expect(wrapped).not.toContain('model.head.weight = model.tok.weight');
  const lent = wrapped.indexOf('for module, owner in [(model.head, model.tok)]:\n    del module.weight');
  expect(lent).toBeGreaterThan(wrapped.indexOf("parallelize_module(layer, mesh['tp'], style)"));
  expect(wrapped.indexOf('    DistributedDataParallel(module')).toBeGreaterThan(lent);
  expect(wrapped).not.toContain('total = sum(');
});

test('a weight that stages share: its gradients are added over the ranks that have a copy, and count once', () => {
  const text = listedText({ ...TOKENS(true), mesh: { pp: 2, dpReplicate: 2 }, clipGradNorm: 1 });
  expect(text).toContain('new_subgroups_by_enumeration([[0, 2], [1, 3]])');
  const places = [
    'DistributedDataParallel(',
    'tied += [(parameters[name], group) for name in shared]',
    'schedule.step(',
    '    torch.distributed.all_reduce(p.grad, group=group)',
    'grads = [p.grad for p in once.values() if p.grad is not None]',
    'optimizer.step()',
  ].map((line) => text.indexOf(line));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test('filler rows: a row is filler if all its targets are, and loss_parallel() makes way for them', () => {
  expect(listedText(TOKENS(false))).toContain('with loss_parallel():');
  const text = listedText({ ...TOKENS(false), batchSize: 7, dropLast: false });
  expect(text).toContain('rows = (y.reshape(len(y), -1) != -100).any(1)');
  expect(text).toContain('# the run computes the loss from parts of the outputs');
  expect(text).not.toContain('with loss_parallel():');
});

test('dpShard: fully_shard around the units of the rank, then its stages, and the optimiser has the shards', () => {
  const text = listedText({ mesh: { pp: 2, dpShard: 2 }, pipeline: { microBatches: 4 }, clipGradNorm: 1 });
  const lines = [
    'from torch.distributed.fsdp import fully_shard',
    "mesh = init_device_mesh(device.type, (2, 2), mesh_dim_names=('pp', 'dp'))",
    "        fully_shard(unit, mesh=mesh['dp'])",
    "    fully_shard(module, mesh=mesh['dp'])",
    'own = {p for module in modules for p in module.parameters()}',
    'optimizer =',
    '    PipelineStage(module, s, 2, device',
    'norm = nn.utils.get_total_norm(grads).full_tensor().to(device) ** 2',
  ];
  const places = lines.map((line) => text.indexOf(line));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(text).not.toContain('DistributedDataParallel');
});

test('dpReplicate and dpShard: fully_shard takes both axes, and both together are dp', () => {
  const text = listedText({ mesh: { pp: 2, dpReplicate: 2, dpShard: 2 }, sharded: { stage: 2, modules: [] } });
  expect(text).toContain("(2, 2, 2), mesh_dim_names=('pp', 'dp_replicate', 'dp_shard'))");
  expect(text).toContain("mesh['dp_replicate', 'dp_shard']._flatten('dp')");
  expect(text).toContain("    fully_shard(module, mesh=mesh['dp_replicate', 'dp_shard'], reshard_after_forward=False)");
  expect(text).not.toContain('get_submodule');
});

test('stage 0 of ZeRO along dpShard is DistributedDataParallel', () => {
  const text = listedText({ mesh: { pp: 2, dpShard: 2 }, sharded: { stage: 0 }, pipeline: { microBatches: 4 } });
  expect(text).toContain('DistributedDataParallel(');
  expect(text).not.toContain('fully_shard');
});
