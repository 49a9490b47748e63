import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EXIT } from './exit-code';
import { importCommand } from './import';
import { captureStdout } from './testing/capture-stdout';
import { temporaryFolder } from './testing/temporary-folder';
import { parseCommand } from './usage';

const fixture = (name: string): string => fileURLToPath(new URL(`../recordings/fixtures/${name}`, import.meta.url));

describe('lockstep import', () => {
  const file = temporaryFolder();
  const printed = captureStdout();

  async function run(...args: readonly string[]): Promise<number> {
    const command = parseCommand(['import', ...args]);
    if (command.name !== 'import') throw new Error('not import');
    return importCommand(command.options, new AbortController().signal);
  }

  it('takes a folder, and says who is late and why', async () => {
    expect(await run(fixture('ddp4-slow2'))).toBe(EXIT.ok);
    expect(printed()).toMatch(/^torch[.]profiler, 4 ranks, gloo: 91[.]1 ms, steps 4 to 6, 3,159 spans\n/);
    expect(printed()).toMatch(/\n {5}2 {2}29[.]3 ms {3}6[.]8 ms .* 5[.]7 ms loading data [(]slow_loader[)]\n/);
    expect(printed()).toMatch(/\n {2}all_reduce {6}0 {6}4 {2}float {3}273 kB {6}3 /);
    expect(printed()).toContain('Rank 2 is a straggler: it joins last in 6 of 6 collectives');
    expect(printed()).toContain('Group 0 (default_pg): ranks 0, 1, 2 and 3 called the same collectives');
  });

  it('shows one step, and models it', async () => {
    const files = [0, 1].map((rank) => path.join(fixture('ddp2'), `rank${rank}.json.gz`));
    await run(
      ...files,
      '--step',
      '5',
      '--what-if-bucket-mb',
      '25',
      '--what-if-bandwidth',
      '10',
      '--what-if-latency',
      '50',
    );
    expect(printed()).toContain('Step 5: compute + exposed + idle');
    expect(printed()).toMatch(/\nModelled: a step takes [\d.]+ ms instead of [\d.]+ ms/);
    expect(printed()).toContain('2 buckets of up to 273 kB become 1 bucket of up to 340 kB.');
    expect(printed()).toContain('changed: 50 µs + bytes at 10.0 GB/s (bus)');
  });

  it('prints JSON', async () => {
    await run(fixture('ddp2'), '--json');
    const found: unknown = JSON.parse(printed());
    expect(found).toMatchObject({
      recording: { worldSize: 2, steps: [4, 5, 6], clock: 'measured' },
      analysis: { waits: { ranks: [0, 1] } },
      flight: { groups: [{ mismatches: [] }] },
    });
  });

  it('continues if one of several files cannot be read, and fails if none can', async () => {
    const bad = file('rank7.json');
    await writeFile(bad, '{"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "ti');
    await run(path.join(fixture('ddp2'), 'rank0.json.gz'), bad);
    expect(printed()).toContain('warning: rank7.json, byte 17, event 0: The file ends inside event 0, at byte 55');
    await expect(run(bad)).rejects.toMatchObject({ code: 'data', message: /^nothing could be read: rank7[.]json/ });
    await mkdir(file('empty'));
    await expect(run(file('empty'))).rejects.toThrow('contains no file that looks like a recording');
    await expect(run(file('none'))).rejects.toThrow('no such file or folder');
  });

  it('refuses options that are wrong', async () => {
    for (const [args, message] of [
      [[], 'import needs the files'],
      [['a', '--what-if-bucket-mb', '0'], '--what-if-bucket-mb must be a number above 0, not "0"'],
      [['a', '--what-if-latency', 'x'], '--what-if-latency must be a number from 0, not "x"'],
      [['a', '--step', '-1'], '--step'],
    ] as const) {
      expect(() => parseCommand(['import', ...args])).toThrow(message);
    }
    await expect(run(fixture('ddp2'), '--step', '99')).rejects.toThrow(
      'step 99 is not in the recording; there are 4, 5, 6.',
    );
  });
});
