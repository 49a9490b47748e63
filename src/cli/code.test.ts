/**
 * `lockstep code`: the script of the run, in a file or on standard output, with the rows that it loads if only Lockstep
 * can make them.
 */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readSafetensors } from '../interop/safetensors';
import { code } from './code';
import { temporaryFolder } from './testing/temporary-folder';
import { parseCommand } from './usage';

describe('lockstep code', () => {
  const file = temporaryFolder();

  async function run(...args: readonly string[]): Promise<string> {
    const out = file('train.py');
    const command = parseCommand(['code', ...args, '--out', out]);
    if (command.name !== 'code') throw new Error(command.name);
    await code(command.options);
    return readFile(out, 'utf8');
  }

  it('prints exactly the steps of the run', async () => {
    const script = await run('--mode', 'ddp', '--world-size', '2', '--steps', '37');
    expect(script).toContain('\nsteps = 37\n');
    expect(script).toContain('        if step == steps:\n            break\n');
    expect(script).toMatch(/^# torchrun --nproc_per_node=2 train\.py\n/);
    expect(script.endsWith('torch.distributed.destroy_process_group()\n')).toBe(true);
  });

  it('writes the rows that only Lockstep draws', async () => {
    const rows = file('dataset.safetensors');
    const script = await run('--preset', 'cnn', '--set', 'data.samples=40', '--set', 'steps=2', '--dataset', rows);
    expect(script).toContain("load_file('dataset.safetensors')");
    const tensors = readSafetensors('dataset', new Uint8Array(await readFile(rows)));
    expect(tensors.find(({ name }) => name === 'x')?.shape).toEqual([32, 1, 28, 28]);
  });

  it('prints no script for a run that could not start', async () => {
    await expect(run('--mode', 'ddp', '--set', 'batchSize=2')).rejects.toMatchObject({ code: 'placement' });
  });
});
