import { describe, expect, it } from 'vitest';
import { runConfig } from '../headless/run';
import { chromeTrace } from '../interop/chrome-trace';
import { analyse } from './analyse';
import { importFiles } from './import-files';
import type { Recording } from './recording';
import { spanAt } from './spans';
import { fileOf } from './testing/files';

async function read(
  content: unknown,
  name = 'trace.json',
): Promise<{ recording: Recording; texts: readonly string[] }> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const { recording, notices } = await importFiles([fileOf(name, text)]);
  if (!recording) throw new Error(notices.map((notice) => notice.text).join(' '));
  return { recording, texts: notices.map((notice) => notice.text) };
}

const spans = ({ ranks }: Recording) =>
  ranks.flatMap((rank) =>
    rank.lanes.flatMap((lane) =>
      Array.from({ length: lane.spans.count }, (_, k) => {
        const { name, startUs, durUs, depth } = spanAt(rank, lane, k);
        return [rank.rank, lane.id, name, startUs, durUs, depth];
      }),
    ),
  );

describe('Chrome traces in general', () => {
  it('may be bare lists without their end, with B and E, b and e, instants and counters', async () => {
    const { recording, texts } = await read(
      `[{"ph": "B", "name": "outer", "pid": 1, "tid": 5, "ts": 10}, {"ph": "B", "name": "inner", "pid": 1, "tid": 5, "ts": 12},
       {"ph": "i", "name": "now", "pid": 1, "tid": 5, "ts": 13}, {"ph": "C", "name": "memory", "pid": 1, "ts": 13, "args": {"a": 1}},
       {"ph": "E", "pid": 1, "tid": 5, "ts": 15}, {"ph": "E", "pid": 1, "tid": 5, "ts": 20},
       {"ph": "b", "cat": "io", "id": "0x1", "name": "read", "pid": 1, "tid": 5, "ts": 11}, {"ph": "b", "cat": "io", "id": "0x2", "name": "read", "pid": 1, "tid": 5, "ts": 12},
       {"ph": "e", "cat": "io", "id": "0x1", "name": "read", "pid": 1, "tid": 9, "ts": 14}, {"ph": "e", "cat": "io", "id": "0x2", "name": "read", "pid": 1, "tid": 5, "ts": 18},`,
    );
    expect(texts).toEqual([]);
    expect(spans(recording)).toEqual([
      [0, '1:5', 'outer', 0, 10, 0],
      [0, '1:5', 'inner', 2, 3, 1],
      [0, '1:io (async)', 'read', 1, 3, 0],
      [0, '1:io (async)', 'read', 2, 6, 1],
    ]);
    expect(recording.ranks[0]?.steps).toEqual([{ step: 0, startUs: 0, endUs: 10, marked: false }]);
  });

  it('make a rank of each process, by its name or in order', async () => {
    const meta = (pid: number, name: string): object => ({ ph: 'M', name: 'process_name', pid, args: { name } });
    const span = (pid: number, name: string, ts: number): object => ({ ph: 'X', name, pid, tid: 0, ts, dur: 5 });
    const named = await read([
      meta(7, 'Rank 1'),
      meta(9, 'rank_0 (host b)'),
      span(7, 'NCCL_ALLREDUCE', 0),
      span(9, 'NCCL_ALLREDUCE', 3),
    ]);
    expect(named.recording.ranks.map(({ rank, rankFrom }) => [rank, rankFrom])).toEqual([
      [0, 'process name'],
      [1, 'process name'],
    ]);
    expect(named.recording.collectives).toMatchObject([
      { kind: 'all_reduce', parts: [{ rank: 0, startUs: 3 }, { rank: 1 }] },
    ]);
    expect(analyse(named.recording).waits.us).toEqual([
      [0, 0],
      [3, 0],
    ]);
    const bare = await read([span(4, 'a', 0), span(5, 'b', 0)]);
    expect(bare.recording.ranks.map(({ rank }) => rank)).toEqual([0, 1]);
    expect(bare.texts).toHaveLength(2);
  });

  it('say which events were omitted, how many, and where the first one is', async () => {
    const events = [
      { ph: 'X', name: 'a', pid: 1, tid: 1, ts: 0, dur: 1 },
      { ph: 'X', name: 'no time', pid: 1, tid: 1 },
      { ph: 'X', name: 'backwards', pid: 1, tid: 1, ts: 5, dur: -1 },
      { ph: 'E', pid: 1, tid: 1, ts: 9 },
      { ph: '?', pid: 1, tid: 1, ts: 9 },
      { ph: '?', pid: 1, tid: 1, ts: 9 },
      { ph: 'B', name: 'open', pid: 1, tid: 1, ts: 0.5 },
      7,
    ];
    const { notices } = await importFiles([fileOf('x.json', JSON.stringify(events))]);
    expect(notices.map(({ text, place }) => [text, place.event])).toEqual([
      ['Events without a time ("ts"): 1, left out.', 1],
      ['Events whose duration is negative or not a number: 1, left out.', 2],
      ['Events without a begin ("E" without "B"): 1, left out.', 3],
      ['Events of the kind "?", which is not known here: 2, left out.', 4],
      ['Events that are no objects: 1, left out.', 7],
      ['Events without an end ("B" without "E"), treated as ending with their thread: 1.', 6],
    ]);
  });
});

describe("Lockstep's own traces", () => {
  it('come in as ranks with steps and collectives', async () => {
    const config = { device: 'cpu', steps: 2, mode: 'ddp', worldSize: 3 } as const;
    const { traces } = await runConfig(config, {}, { trace: true });
    const written = chromeTrace(traces, 'modelled');
    const { recording, texts } = await read({ ...written });
    expect(texts).toEqual([]);
    expect(recording.title).toBe('Lockstep, 3 ranks');
    expect(recording.clock).toBe('modelled');
    expect(recording.steps).toEqual([0, 1]);
    expect(recording.ranks.map(({ lanes }) => lanes.map(({ label, role }) => [label, role]))).toEqual(
      [0, 1, 2].map(() => [
        ['compute', 'compute'],
        ['communication', 'communication'],
      ]),
    );
    const reduced = recording.collectives.filter(({ kind }) => kind === 'all_reduce');
    expect(reduced.length).toBeGreaterThan(0);
    expect(reduced.every(({ parts }) => parts.length === 3)).toBe(true);
    const { steps } = analyse(recording);
    expect(steps).toHaveLength(6);
    expect(steps.every(({ computeUs, communicationUs }) => computeUs > 0 && communicationUs > 0)).toBe(true);
  });
});
