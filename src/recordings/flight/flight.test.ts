import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runConfig } from '../../headless/run';
import { analyseFlight } from '../analyse-flight';
import { importFiles } from '../import-files';
import type { FlightAnalysis } from '../recording-analysis';
import { fileOf, recorded } from '../testing/files';
import type { FlightRecording } from './flight-recording';
import { readPickle } from './pickle';

const pickle = (name: string): Uint8Array =>
  readFileSync(new URL(`../fixtures/pickles/${name}.pickle`, import.meta.url));

async function flight(files: ReturnType<typeof recorded>): Promise<FlightRecording> {
  const { flight: found, notices } = await importFiles(files);
  expect(notices).toEqual([]);
  if (!found) throw new Error('no dump');
  return found;
}

describe("torch's dumps", () => {
  it('as JSON: four ranks that did the same', async () => {
    const read = await flight(recorded('ddp4-slow2', /flight/));
    expect(read.ranks.map(({ rank, version, entries }) => [rank, version, entries.length])).toEqual(
      [0, 1, 2, 3].map((rank) => [rank, '2.10', 18]),
    );
    expect(read.ranks[2]?.entries[6]).toMatchObject({ collectiveSeqId: 7, kind: 'all_reduce', inputSizes: [[68_362]] });
    const { groups, sentences } = analyseFlight(read);
    expect(groups).toHaveLength(1);
    expect(groups[0]).toMatchObject({ group: '0', description: 'default_pg', ranks: [0, 1, 2, 3], mismatches: [] });
    expect(sentences).toEqual([
      'Group 0 (default_pg): ranks 0, 1, 2 and 3 called the same collectives; the last is number 18, all_reduce of [16640], Float. All are completed.',
    ]);
  });

  it('as pickle: rank 2 has not called the last collective', async () => {
    const { sentences, groups } = analyseFlight(await flight(recorded('flight', /missing/)));
    expect(sentences[0]).toMatch(
      /^Group 0 \(default_pg\): rank 2 has not called collective 3 \(all_reduce of \[20\], Float, called in main at [^ ]*train[.]py:11\); ranks 0 and 1 called it[.] The last collective of rank 2 is number 2, all_reduce of \[10\], Float[.]$/,
    );
    expect(sentences[1]).toContain('Group 1 (pair): ranks 0 and 1 called the same collectives');
    expect(groups[0]?.last).toEqual([
      { rank: 0, scheduled: 3, started: 2, completed: 2 },
      { rank: 1, scheduled: 3, started: 2, completed: 2 },
      { rank: 2, scheduled: 2, started: 2, completed: 2 },
    ]);
  });

  it('as pickle: rank 1 calls another operation', async () => {
    const { sentences } = analyseFlight(await flight(recorded('flight', /operation/)));
    expect(sentences[0]).toBe(
      'Group 0 (default_pg): at collective 3 the ranks call different operations: rank 1 calls broadcast, ranks 0 and 2 call all_reduce.',
    );
  });
});

/** An entry in the form of torch's JSON. */
const entry = (seq: number, more: object = {}): object => ({
  record_id: seq,
  process_group: ['0', 'default_pg'],
  collective_seq_id: seq,
  p2p_seq_id: 0,
  is_p2p: false,
  profiling_name: 'nccl:all_reduce',
  input_sizes: [[8]],
  output_sizes: [[8]],
  input_dtypes: ['Float'],
  output_dtypes: ['Float'],
  state: 'completed',
  retired: true,
  time_created_ns: 1_795_322_424_570_737_000,
  timeout_ms: 600_000,
  ...more,
});

async function analysed(...ranks: readonly (readonly object[])[]): Promise<FlightAnalysis> {
  const groups = { 0: { name: '0', desc: 'default_pg', ranks: `[${ranks.map((_, rank) => rank).join(', ')}]` } };
  const dump = (entries: readonly object[]): string => JSON.stringify({ version: '2.4', pg_config: groups, entries });
  return analyseFlight(await flight(ranks.map((entries, rank) => fileOf(`nccl_trace_rank_${rank}`, dump(entries)))));
}

describe('ranks that part', () => {
  it('in size, type or state are named', async () => {
    const size = await analysed(
      [entry(1), entry(2)],
      [entry(1), entry(2, { input_sizes: [[9]] })],
      [entry(1), entry(2)],
    );
    expect(size.groups[0]?.mismatches).toMatchObject([{ sequence: 2, what: 'size', ranks: [1] }]);
    expect(size.sentences[0]).toContain('rank 1 calls all_reduce of [9], ranks 0 and 2 call all_reduce of [8]');
    const dtype = await analysed([entry(1)], [entry(1, { input_dtypes: ['Half'] })]);
    expect(dtype.groups[0]?.mismatches).toMatchObject([{ sequence: 1, what: 'dtype' }]);
    const state = await analysed([entry(1), entry(2)], [entry(1), entry(2, { state: 'started' })]);
    expect(state.sentences[0]).toContain(
      'collective 2 (all_reduce of [8], Float) is started on rank 1, completed on rank 0.',
    );
  });

  it('are not blamed for calls that their ring buffer has lost, or for having been dumped first', async () => {
    const { sentences } = await analysed([entry(5), entry(6)], [entry(3), entry(4), entry(5), entry(6)]);
    expect(sentences[0]).toContain('ranks 0 and 1 called the same collectives; the last is number 6');
    const waiting = await analysed([entry(6, { state: 'started' })], [entry(6, { state: 'started' })]);
    expect(waiting.sentences[0]).toContain('which is started on all ranks and completed on none');
  });

  it('a rank that never called is named, too', async () => {
    const { sentences } = await analysed([entry(1, { state: 'scheduled' })], []);
    expect(sentences[0]).toContain('rank 1 has not called collective 1');
    expect(sentences[0]).toContain('Rank 1 has called no collective of this group.');
  });

  it('each may bring another size to all_to_all', async () => {
    const name = { profiling_name: 'nccl:all_to_all' };
    const { groups } = await analysed([entry(1, name)], [entry(1, { ...name, input_sizes: [[9]] })]);
    expect(groups[0]?.mismatches).toEqual([]);
  });
});

describe('pickles', () => {
  it('of plain values are read in all protocols', () => {
    for (const protocol of [2, 3, 4, 5]) {
      const read = readPickle(pickle(`plain-${protocol}`), 'x');
      if (!(read instanceof Map)) throw new Error('no dict');
      expect(read.get('numbers')).toEqual([0, 255, 65_535, -1, -129, 2 ** 31, -(2 ** 40), 2n ** 62n, 1.5, -0]);
      expect(read.get('deep')).toEqual([[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4]]);
      expect(read.get('bytes')).toBe('x'.repeat(300));
      const [first] = read.get('entries') as Map<string, unknown>[];
      expect(first?.get('frames')).toEqual([
        new Map(Object.entries({ name: 'größe', filename: '/job/train.py', line: 300 })),
      ]);
      expect(first?.get('time_created_ns')).toBe(1_795_322_424_570_737_322n);
    }
  });

  it.each([
    ['command-2', /asks for posix[.]system [(]GLOBAL[)] at byte \d+, so it is refused/],
    ['command-4', /asks for posix[.]system [(]STACK_GLOBAL[)]/],
    ['eval', /asks for (__builtin__|builtins)[.]eval [(]GLOBAL[)]/],
    ['object', /asks for collections[.]OrderedDict/],
    ['persistent', /makes an object [(]BINPERSID[)]/],
  ])('that would run something are refused by its name: %s', async (name, message) => {
    expect(() => readPickle(pickle(name), 'dump')).toThrow(message);
    const { flight: found, notices } = await importFiles([fileOf('nccl_trace_rank_0', pickle(name))]);
    expect(found).toBeUndefined();
    expect(notices[0]?.text).toMatch(message);
    expect(notices[0]?.text).toContain('Do not load this file in Python');
  });

  it('of protocol 0 are no dumps, and refused as well', () => {
    expect(() => readPickle(pickle('instance'), 'dump')).toThrow(/[(]INST[)]|an opcode that plain values do not need/);
  });

  it('cut anywhere give a message', () => {
    const whole = pickle('plain-4');
    for (let length = 0; length < whole.length; length++) {
      expect(() => readPickle(whole.subarray(0, length), 'dump')).toThrow(/ends before its STOP, at byte \d+/);
    }
  });

  it('of any bytes give a value or a LockstepError', () => {
    const code = fc.constantFrom(
      ...[0x28, 0x30, 0x31, 0x32, 0x4b, 0x58, 0x5d, 0x7d, 0x61, 0x65, 0x73, 0x75, 0x71, 0x68, 0x74, 0x85, 0x2e],
    );
    void fc.assert(
      fc.property(fc.array(fc.oneof(code, fc.nat(255)), { maxLength: 40 }), (bytes) => {
        try {
          readPickle(Uint8Array.from([0x80, 2, ...bytes]), 'dump');
        } catch (error) {
          expect(error).toMatchObject({ name: 'LockstepError', code: 'data' });
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("Lockstep's own dumps", () => {
  it('of a rank that was killed: all ranks in one file', async () => {
    const config = { device: 'cpu', steps: 4, mode: 'ddp', worldSize: 3, maxRestarts: 0 } as const;
    const faults = [{ what: 'kill', rank: 1, step: 2 }] as const;
    const { flightRecorder } = await runConfig(config, {}, { faults });
    const { ranks } = await flight([fileOf('flight.json', JSON.stringify(flightRecorder()))]);
    expect(ranks.map(({ rank }) => rank)).toEqual([0, 1, 2]);
    const { groups, sentences } = analyseFlight({ ranks });
    expect(groups[0]?.mismatches).toMatchObject([{ what: 'state', ranks: [1], sequence: 3 }]);
    expect(sentences[0]).toMatch(/collective 3 .* is scheduled on rank 1, started on ranks? 0/);
  });
});
