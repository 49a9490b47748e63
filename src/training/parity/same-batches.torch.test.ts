/**
 * checkpoint_files.py of an export compares the settings of a checkpoint with those of the run: a setting that one of
 * them leaves out has its default. In the PyTorch of this machine.
 *
 * @module-tag rest: one process compares configurations and trains nothing.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { exportFiles } from '../../headless/export-run';
import { pythonWithTorch, sayNoTorch } from '../testing/torch-scripts';

const RUN = { mode: 'ddp', data: { type: 'xor', samples: 48 }, ddp: { samplerSeed: 0 }, device: 'cpu' };

const COMPARED = [
  ['the same', {}, true],
  ['without noise', { data: { ...RUN.data, noise: undefined } }, true],
  ['without the settings of samplers', { ddp: { samplerSeed: undefined } }, true],
  ['without shuffle', { shuffle: undefined }, true],
  ['with other noise', { data: { ...RUN.data, noise: 0.25 } }, false],
  ['with other samples', { data: { ...RUN.data, samples: 40 } }, false],
  ['with another seed of the samplers', { ddp: { samplerSeed: 3 } }, false],
  ['with another loss', { loss: 'mse' }, false],
] as const;

test('settings that are left out have their defaults', async () => {
  const python = pythonWithTorch();
  if (python === undefined) return sayNoTorch(`${COMPARED.length} configurations were not compared.`);
  const folder = await mkdtemp(path.join(tmpdir(), 'lockstep-same-'));
  try {
    const { files, config } = await exportFiles(RUN, {});
    for (const [file, content] of Object.entries(files)) await writeFile(path.join(folder, file), content);
    const saved = COMPARED.map(([, change]) => ({ ...config, ...change }));
    await writeFile(path.join(folder, 'saved.json'), JSON.stringify(saved));
    const { status, stdout, stderr } = spawnSync(python, ['-c', COMPARE], { cwd: folder, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    const same = JSON.parse(stdout) as readonly boolean[];
    expect(COMPARED.map(([name], i) => [name, same[i]])).toEqual(COMPARED.map(([name, , is]) => [name, is]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return undefined;
});

const COMPARE = `
import json
import checkpoint_files as files

with open('config.json') as f:
    config = json.load(f)
with open('saved.json') as f:
    saved = json.load(f)
print(json.dumps([files.same_batches({'config': json.dumps(one)}, config) for one in saved]))
`;
