/** `lockstep memory`: the printed tree adds up to the plan's totals, and a preset's settings can be replaced. */
import { describe, expect, it } from 'vitest';
import { memory } from './memory';
import { readRun } from './read-run';

const bytesIn = (line: string): number => Number((/([\d,]+) B/.exec(line)?.[1] ?? '').replaceAll(',', ''));

describe('lockstep memory', () => {
  it.each(['mlp', 'cnn', 'gpt'])('%s: tensors add up to their kind, kinds to the device', async (preset) => {
    const lines = (await memory({ preset, config: undefined })).trimEnd().split('\n');
    const kinds = lines.filter((line) => /^ {2}\S/.test(line));
    const tensors = lines.filter((line) => line.startsWith('    '));
    const total = (list: readonly string[]) => list.reduce((sum, line) => sum + bytesIn(line), 0);
    expect(lines[0]).toMatch(/^cuda:0 /);
    expect(total(kinds)).toBe(bytesIn(lines[0] ?? ''));
    expect(total(tensors)).toBe(total(kinds));
  });

  it('refuses an unknown preset, and lists the known presets', async () => {
    await expect(readRun({ preset: 'resnet', config: undefined })).rejects.toMatchObject({
      message: 'there is no preset "resnet"',
      hint: 'Presets: mlp, deepMlp, wideMlp, cnn, gpt, gpt2.',
    });
  });
});
