/**
 * The recorded signatures have every argument of this machine's PyTorch, read with inspect.signature. An older torch
 * may have fewer arguments; arguments that only an older torch has are deprecated and listed as such.
 */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { pythonWithTorch, runTorchScripts, sayNoTorch } from '../training/testing/torch-scripts';
import recorded from './fixtures/torch-signatures.json';
import type { Signatures } from './testing/torch-arguments';
import { isOlder } from './torch/python';

const ASK = `
import importlib, inspect, json, sys
import torch, torch.distributed, torch.nn.parallel, torch.utils.data.distributed
import torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook
for late in ('torch.distributed.fsdp', 'torch.distributed.optim'):
    try: importlib.import_module(late)
    except Exception: pass  # torch 1.13 with Python 3.11
def found(name):
    name = name.replace('DistributedDataParallel.join', 'torch.nn.parallel.DistributedDataParallel.join')
    value = torch
    for part in name.split('.')[1:]:
        if not hasattr(value, part): return None
        value = getattr(value, part)
    return [n for n, p in inspect.signature(value).parameters.items() if n != 'self' and p.kind.name not in ('VAR_POSITIONAL', 'VAR_KEYWORD')]
print(json.dumps({name: found(name) for name in json.load(sys.stdin)}))
`;

/** Arguments that later versions removed. */
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
    const asked = new Map(Object.entries(JSON.parse(stdout) as Readonly<Record<string, readonly string[] | null>>));
    const { torch: version } = runTorchScripts(python, []);
    const signatures: Signatures = recorded;
    for (const { name, arguments: known, since } of signatures.signatures) {
      if (since !== undefined && isOlder(version, since)) continue;
      const unknown = (asked.get(name) ?? ['no signature']).filter((each) => !known.includes(each) && !GONE.has(each));
      expect(unknown, name).toEqual([]);
    }
  });
}
