/** `lockstep collectives`, from arguments to the table, on the CPU. */
import { describe, expect, it } from 'vitest';
import type { CollectivesReport } from '../protocol/collectives-report';
import { collectives } from './collectives';
import { captureStdout } from './testing/capture-stdout';
import { parseCommand } from './usage';

const options = (line: string) => {
  const command = parseCommand(['collectives', ...line.split(' ').filter(Boolean)]);
  if (command.name !== 'collectives') throw new Error(command.name);
  return command.options;
};

describe('lockstep collectives', () => {
  const printed = captureStdout();
  const run = (line: string): Promise<number> => collectives(options(line), new AbortController().signal);

  it('reads sizes, names and defaults', () => {
    expect(options('').request).toMatchObject({
      op: 'allReduce',
      algorithm: 'ring',
      ranks: 4,
      fromBytes: 65_536,
      toBytes: 16_777_216,
      device: 'auto',
      transport: 'shared',
    });
    expect(
      options('--op reduce-scatter --algo halving_doubling --bytes 8..1k --redop max --step-factor 4').request,
    ).toMatchObject({
      op: 'reduceScatter',
      algorithm: 'halvingDoubling',
      fromBytes: 8,
      toBytes: 1024,
      reduceOp: 'max',
      stepFactor: 4,
    });
    expect(options('--bytes 3MB --out r.json --json')).toMatchObject({
      request: { fromBytes: 3 * 2 ** 20, toBytes: 3 * 2 ** 20 },
      out: 'r.json',
      json: true,
    });
  });

  it.each([
    ['--op allreduce', '--op must be all_reduce or broadcast'],
    ['--bytes 2M..1M', '--bytes must be a size or a range'],
    ['--bytes many', '--bytes must be a size or a range'],
    ['--ranks 17', '--ranks must be a number from 1 to 16, not "17"'],
    ['--step-factor 1', '--step-factor must be a number above 1'],
    ['--transport nvlink', '--transport must be shared or ports'],
  ])('refuses %s', (line, message) => {
    expect(() => options(line)).toThrow(message);
  });

  it('prints one row per size, and no wrong elements', async () => {
    const line =
      '--op all_gather --algo double_tree --ranks 2 --bytes 64..128 --device cpu --transport ports --iters 1';
    expect(await run(line)).toBe(0);
    expect(printed()).toContain(
      '# all_gather by naive (double_tree has no all_gather, so naive runs): 2 ranks over MessagePorts',
    );
    expect(printed()).toMatch(/^ +64 +8 +float +none +-1 +[\d.]+ +[\d.]+ +[\d.]+ +0 /m);
    expect(printed()).toMatch(/^ +128 +16 /m);
    expect(printed()).toContain('# Wrong elements: 0 OK');
  });

  it('prints the report as JSON', async () => {
    await run('--ranks 2 --bytes 64 --device cpu --iters 1 --json');
    const report = JSON.parse(printed()) as CollectivesReport;
    expect(report).toMatchObject({
      algorithm: 'ring',
      device: { kind: 'cpu' },
      rows: [{ bytes: 64, count: 16, wrong: 0 }],
    });
  });
});
