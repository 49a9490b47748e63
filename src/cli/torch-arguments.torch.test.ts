/**
 * The recorded signatures have every argument that the PyTorch of this machine has: inspect.signature is asked for
 * each. An older torch has fewer arguments, which is all right; what it alone has is deprecated and listed as such.
 */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { pythonWithTorch, sayNoTorch } from '../training/testing/torch-scripts';
import recorded from './fixtures/torch-signatures.json';

const ASK = `
import importlib, inspect, json, sys
import torch, torch.distributed, torch.nn.parallel, torch.utils.data.distributed
import torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook
def found(name):
    name = name.replace('DistributedDataParallel.join', 'torch.nn.parallel.DistributedDataParallel.join')
    value = torch
    for part in name.split('.')[1:]: value = getattr(value, part)
    return [n for n, p in inspect.signature(value).parameters.items() if n != 'self' and p.kind.name not in ('VAR_POSITIONAL', 'VAR_KEYWORD')]
print(json.dumps({name: found(name) for name in json.load(sys.stdin)}))
`;

/** Gone in later versions. */
const GONE = new Set(['verbose']);
const python = pythonWithTorch();

if (python === undefined) {
  test('no PyTorch on this machine', () => sayNoTorch('the recorded signatures were not compared with it.'));
} else {
  test('every argument of the signatures of this torch is recorded', () => {
    const names = recorded.signatures.map(({ name }) => name);
    const { stdout, stderr } = spawnSync(python, ['-c', ASK], {
      input: JSON.stringify(names),
      encoding: 'utf8',
    });
    expect(stdout, stderr).toMatch(/^\{/);
    const asked = new Map(Object.entries(JSON.parse(stdout) as Readonly<Record<string, readonly string[]>>));
    for (const { name, arguments: known } of recorded.signatures) {
      const unknown = (asked.get(name) ?? ['no signature']).filter((each) => !known.includes(each) && !GONE.has(each));
      expect(unknown, name).toEqual([]);
    }
  });
}
