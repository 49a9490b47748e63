/**
 * torch.distributed.checkpoint reads a checkpoint in shards, by the code of docs/checkpoints.md, on another number of
 * ranks with fully_shard; what it then saves is converted to weights for Lockstep. Needs a torch that has
 * HuggingFaceStorageReader. Where the package safetensors is missing, scripts/stand-ins has the functions that are
 * used.
 *
 * @module-tag rest: one process saves the folder; shard-files.test.ts has every mode.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { readSafetensors } from '../../interop/safetensors';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { writeCheckpoint } from '../checkpoint/checkpoint-file';
import { shardFiles } from '../checkpoint/shard-files';
import { withTraining } from '../testing/checkpoint-runs';
import { pythonWithTorch, sayNoTorch } from '../testing/torch-scripts';

const RUN: ConfigInput = {
  mode: 'sharded',
  worldSize: 4,
  device: 'cpu',
  compareSingle: false,
  // Five rows and seven rows over four ranks, then over three.
  model: { layers: mlpLayers([2, 5, 7, 1], 'Tanh') },
  data: { type: 'xor', samples: 48, testFraction: 0 },
  batchSize: 12,
  optimizer: { type: 'AdamW', lr: 0.01 },
};

const [load = '', convert = ''] = [
  ...(readFileSync('docs/checkpoints.md', 'utf8')
    .split('### With torch.distributed.checkpoint')[1]
    ?.matchAll(/```python\n(.*?)```/gs) ?? []),
].map(([, code]) => code ?? '');

test('docs/checkpoints.md: loaded by three ranks with fully_shard, and converted back', async () => {
  const python = pythonWithTorch('torch.distributed.checkpoint.hf_storage');
  if (python === undefined)
    return sayNoTorch('torch.distributed.checkpoint has not read a checkpoint in shards.', {
      module: 'torch.distributed.checkpoint.hf_storage',
    });
  const installed = spawnSync(python, ['-c', 'import safetensors.torch']).status === 0;
  const env = installed ? process.env : { ...process.env, PYTHONPATH: path.resolve('scripts/stand-ins') };
  const folder = await mkdtemp(path.join(tmpdir(), 'lockstep-dcp-'));
  try {
    const { model, state, files } = await withTraining(RUN, {}, async (training) => {
      await training.run(3);
      const whole = writeCheckpoint(training.blueprint, await training.checkpoint());
      return { ...whole, files: shardFiles(whole, training.blueprint) };
    });
    await mkdir(path.join(folder, 'BASE'));
    for (const [name, bytes] of Object.entries(files)) await writeFile(path.join(folder, 'BASE', name), bytes);
    await writeFile(path.join(folder, 'model.safetensors'), model);
    await writeFile(path.join(folder, 'state.safetensors'), state);
    await writeFile(path.join(folder, 'ranks.py'), SCRIPT);
    await writeFile(path.join(folder, 'load.py'), load);
    await writeFile(path.join(folder, 'convert.py'), convert);
    const run = (script: string) => {
      const { status, stderr } = spawnSync(python, [script], { cwd: folder, encoding: 'utf8', env });
      expect(status, stderr).toBe(0);
    };
    run('ranks.py');
    run('convert.py');
    const tensors = (bytes: Uint8Array<ArrayBuffer>) =>
      new Map(readSafetensors('', bytes).map(({ name, data }) => [name, [...data]]));
    const made = tensors(new Uint8Array(await readFile(path.join(folder, 'weights.safetensors'))));
    expect(made).toEqual(tensors(must(model, 'model')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return undefined;
});

const SCRIPT = `
import os, torch, torch.distributed as dist, torch.distributed.checkpoint as dcp, torch.multiprocessing as mp
from torch import nn
from torch.distributed.fsdp import fully_shard
from safetensors.torch import load_file


def main(rank, world, store):
    dist.init_process_group('gloo', init_method='file://' + store, rank=rank, world_size=world)
    torch.manual_seed(rank)
    model = nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 1))
    for layer in model[::2]:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    with open('load.py') as f:
        exec(f.read(), {'model': model, 'optimizer': optimizer})
    whole = load_file('model.safetensors')
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor.full_tensor(), whole[name]), name
    whole = load_file('state.safetensors')
    for number, parameter in enumerate(model.parameters()):
        for key, value in optimizer.state[parameter].items():
            value = value.full_tensor() if key != 'step' else value
            assert torch.equal(value, whole[f'state.{number}.{key}']), (number, key)
    dcp.save({'model': model.state_dict()}, checkpoint_id='DCP')
    dist.destroy_process_group()


if __name__ == '__main__':
    mp.spawn(main, (3, os.path.abspath('store')), nprocs=3)
`;
