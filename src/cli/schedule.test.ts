/** `lockstep schedule`, from arguments to output. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { RECORDED } from '../schedules/testing/recorded-orders';
import { helpText } from './help-text';
import { schedule } from './schedule';
import { parseCommand } from './usage';

const folder = mkdtempSync(path.join(tmpdir(), 'schedule-'));
afterAll(() => rmSync(folder, { recursive: true }));

const options = (line: string) => {
  const command = parseCommand(['schedule', ...line.split(' ').filter(Boolean)]);
  if (command.name !== 'schedule') throw new Error(command.name);
  return command.options;
};

const run = async (line: string): Promise<string> => schedule(options(line));

async function runFile(csv: string, more = ''): Promise<string> {
  const file = path.join(folder, 'own.csv');
  writeFileSync(file, csv);
  return run(`--file ${file} ${more}`);
}

describe('options', () => {
  it('have defaults by the name of the schedule', () => {
    expect(options('--name GPipe')).toEqual({
      source: { name: 'GPipe', ranks: 4, stagesPerRank: 1, microBatches: 8 },
      csv: false,
      comms: false,
    });
    expect(options('--name LoopedBFS --ranks 2 --microbatches 3 --csv --comms')).toEqual({
      source: { name: 'LoopedBFS', ranks: 2, stagesPerRank: 2, microBatches: 3 },
      csv: true,
      comms: true,
    });
    expect(options('--name loopedbfs').source).toMatchObject({ name: 'LoopedBFS' });
    expect(options('--file -').source).toEqual({ file: '-' });
  });

  it.each([
    ['', 'schedule needs --name NAME, or --file FILE for a schedule of your own'],
    ['--ranks 4', 'schedule needs --name NAME'],
    ['--name zbv', 'there is no schedule "zbv"; did you mean ZBVZeroBubble?'],
    ['--name Interleaved', 'did you mean Interleaved1F1B or InterleavedZeroBubble?'],
    ['--name toString', 'there is no schedule "toString"; known are GPipe, 1F1B, LoopedBFS'],
    ['--name GPipe --comms', '--comms needs --csv'],
    ['--name GPipe --ranks 0', '--ranks must be a number from 1 to 64, not "0"'],
    ['--name GPipe --microbatches 1e3', '--microbatches must be a number from 1 to 1024, not "1e3"'],
    ['--file a.csv --ranks 2', '--file gives the whole schedule; leave --ranks out'],
    ['--name GPipe --rank 3', "Unknown option '--rank'"],
    ['GPipe', "Unexpected argument 'GPipe'"],
  ])('refuses "%s"', (line, message) => {
    expect(() => options(line)).toThrow(message);
  });

  it('are in the help', () => {
    for (const text of ['lockstep schedule', '--microbatches', '--stages-per-rank', '--comms', 'DualPipeV'])
      expect(helpText()).toContain(text);
    expect(parseCommand(['schedule', '--help'])).toEqual({ name: 'help', of: 'schedule' });
  });
});

test('the table is laid out in time, with the figures below', async () => {
  expect(await run('--name 1F1B --ranks 2 --microbatches 3')).toBe(
    `1F1B: 2 ranks, 2 stages, 3 micro-batches

time              0                   5                   10
rank 0 (stage 0)  0F0 0F1 .   .   0B0---- 0F2 0B1---- .   0B2----
rank 1 (stage 1)  .   1F0 1B0---- 1F1 1B1---- 1F2 1B2---- .   .

In units of time: a forward pass takes 1, a backward pass 2 (I and W 1 each), a message none.

                                    counted             by formula
makespan                            12                  (M + P - 1)·(F + B) = 12
bubble                              25.00 % (6 of 24)   (P - 1) / (M + P - 1) = 25.00 %
peak of live activations, by rank   2 1                 min(M, P - r): 2 1

P = 2 ranks, L = 1 stage per rank, M = 3 micro-batches, F = 1, B = 2, r = the rank
`,
  );
});

test('the example in docs/pipelines.md is what is printed', async () => {
  const docs = readFileSync('docs/pipelines.md', 'utf8');
  const example = /^```\n(1F1B: 2 ranks.*?)```$/ms.exec(docs)?.[1] ?? 'no example';
  expect(await run('--name 1F1B --ranks 2 --microbatches 3')).toContain(example);
});

test.each([
  ['GPipe', '33', '27.27 %', '8 8 8 8'],
  ['1F1B', '33', '27.27 %', '4 3 2 1'],
  ['LoopedBFS', '57', '15.79 %', '16 16 16 16'],
  ['Interleaved1F1B', '57', '15.79 %', '11 9 7 5'],
  ['InterleavedZeroBubble', '51', '5.88 %', '8 8 8 8'],
  ['ZBVZeroBubble', '51', '5.88 %', '8 8 8 8'],
  ['DualPipeV', '51', '5.88 %', '9 9 9 9'],
])('%s, as counted and by formula', async (name, makespan, bubble, peaks) => {
  const text = await run(`--name ${name} --ranks 4 --microbatches 8`);
  const row = (what: string): string => text.split('\n').find((line) => line.startsWith(what)) ?? '';
  expect(row('makespan')).toMatch(new RegExp(`^makespan +${makespan} .*= ${makespan}$`));
  expect(row('bubble')).toMatch(new RegExp(`^bubble +${bubble} .*= ${bubble}$`));
  expect(row('peak')).toMatch(new RegExp(`^peak of live activations, by rank +${peaks} .*: ${peaks}$`));
});

test('DualPipeV says how pairs run, and the figures of the other way', async () => {
  const text = await run('--name DualPipeV');
  expect(text).toContain('The two parts of a pair run one after the other, as in torch');
  expect(text).toContain('If a pair starts only when the inputs of both parts are there: makespan 54, bubble 11.11 %.');
  expect(text).toContain(' 0F7+7B3---- ');
  expect(await run('--name ZBVZeroBubble')).not.toContain('pair');
});

test.each(RECORDED)('CSV: $title', async ({ size, compute, lowered, executedWithComms }) => {
  const line = `--name ${size.name} --ranks ${size.ranks} --stages-per-rank ${size.stagesPerRank} --microbatches ${size.microBatches} --csv`;
  expect(await run(line)).toBe(compute.map((row) => `${row}\n`).join(''));
  const withComms = (lowered ?? executedWithComms ?? []).map((row) => {
    const cells = row.split(',').filter((cell) => !/UNSHARD|RESHARD|REDUCE_GRAD/.test(cell));
    return `${cells.join(',')}\n`;
  });
  expect(await run(`${line} --comms`)).toBe(withComms.join(''));
});

test('a size that torch refuses is refused', async () => {
  await expect(run('--name Interleaved1F1B --microbatches 9')).rejects.toMatchObject({
    code: 'schedule',
    message: expect.stringContaining('multiple of its rounds'),
  });
});

describe('a schedule of one’s own', () => {
  it('is measured, and recognised where it is a known one', async () => {
    const own = await runFile('0F0,0F1,0I0,0B1,0W0\n1F0,1F1,1B0,1B1\n');
    expect(own).toContain('own.csv, a schedule of your own: 2 ranks, 2 stages, 2 micro-batches');
    expect(own).toMatch(/^ +counted$/m);
    expect(own).toMatch(/^makespan +10$/m);
    expect(own).toMatch(/^bubble +40.00 % \(8 of 20\)$/m);
    expect(own).toMatch(/^peak of live activations, by rank +2 2$/m);
    expect(await runFile('0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n')).toContain('own.csv, which is 1F1B: 2 ranks');
  });

  it('is written as torch would', async () => {
    expect(await runFile('"0f0",,0b0\r\n1f0, 1b0', '--csv')).toBe('0F0,0B0\n1F0,1B0\n');
    expect(await runFile('0F0,0B0\n1F0,1B0', '--csv --comms')).toBe(
      '0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n',
    );
  });

  it('is refused where it cannot run, before anything is printed', async () => {
    await expect(runFile('0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0')).rejects.toThrow(
      'deadlock: rank 0 waits at 0B0 for 1B0 of rank 1',
    );
    await expect(runFile('0F0,0B0\n1F0', '--csv')).rejects.toThrow('rank 1 never runs 1B0');
    await expect(runFile('0F0,0X0')).rejects.toThrow('row 1, column 2: "0X0" is not an action of a schedule');
    await expect(run(`--file ${path.join(folder, 'nowhere.csv')}`)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining('no such file'),
    });
  });
});
