import { describe, expect, it } from 'vitest';
import { analyse } from './analyse';
import { importFiles } from './import-files';
import type { Recording } from './recording';
import { fileOf } from './testing/files';
import { type NcclOptions, ncclTraces } from './testing/nccl-traces';

async function read(options: NcclOptions = {}): Promise<{ recording: Recording; texts: readonly string[] }> {
  const { recording, notices } = await importFiles(ncclTraces(options));
  if (!recording) throw new Error('no recording');
  return { recording, texts: notices.map(({ text }) => text) };
}

describe("NCCL's traces", () => {
  it('have streams as lanes, and each collective once', async () => {
    const { recording, texts } = await read({ ranks: 3 });
    expect(texts).toEqual([]);
    expect(recording.title).toBe('torch.profiler, 3 ranks, nccl');
    expect(recording.ranks[0]?.lanes.map(({ label, role }) => [label, role])).toEqual([
      ['stream 7', 'compute'],
      ['stream 20: collectives', 'communication'],
      ['thread 100 (python)', 'host'],
      ['stream 20: annotations', 'other'],
    ]);
    expect(
      recording.collectives.map(({ kind, sequence, sequenceFrom, bytes, dtype, step }) => [
        kind,
        sequence,
        sequenceFrom,
        bytes,
        dtype,
        step,
      ]),
    ).toEqual([
      ['all_reduce', 1, 'file', 12_000, 'float', 0],
      ['all_reduce', 2, 'file', 28_000, 'float', 0],
      ['all_reduce', 3, 'file', 12_000, 'float', 1],
      ['all_reduce', 4, 'file', 28_000, 'float', 1],
    ]);
    expect(recording.collectives.every(({ parts, groupRanks }) => parts.length === 3 && groupRanks.length === 3)).toBe(
      true,
    );
  });

  it('are matched without sequence numbers, too', async () => {
    const { recording } = await read({ ranks: 3, hasSequence: false });
    expect(
      recording.collectives.map(({ sequence, sequenceFrom, parts }) => [sequence, sequenceFrom, parts.length]),
    ).toEqual([0, 1, 2, 3].map((sequence) => [sequence, 'order', 3]));
  });

  it('name the late rank, its DataLoader, and what it costs', async () => {
    const { recording } = await read({ ranks: 4, lateUs: { 3: 500 } });
    const { stragglers, sentences, steps, collectives } = analyse(recording);
    expect(stragglers[0]).toMatchObject({ rank: 3, last: 4, of: 4 });
    expect(stragglers[0]?.byUs).toBeCloseTo(500, 3);
    expect(stragglers[0]?.cause?.name).toContain('enumerate(DataLoader)');
    expect(sentences[0]).toContain('Rank 3 is a straggler');
    const of = (rank: number) => steps.find((step) => step.rank === rank && step.step === 0);
    // Rank 0 waits from 410 us on, under backward until 600; rank 3 arrives at 910. The second all-reduce begins when
    // the first is done, at 1050, and rank 3 arrives at 1110.
    expect(of(0)?.waitingUs).toBeCloseTo(910 - 600 + (1110 - 1050), 3);
    expect(of(3)?.idle[0]).toMatchObject({ cause: 'loader' });
    expect(of(3)?.idle[0]?.us).toBeCloseTo(500, 3);
    // 12,000 bytes at 20 us + 12,000 / 100.
    expect(collectives[0]?.transferUs).toBeCloseTo(140, 3);
    expect(collectives[0]?.busBandwidth).toBeCloseTo((12_000 / 140 / 1000) * 1.5, 6);
  });

  it('on clocks that differ are aligned by the ends of collectives', async () => {
    const clockUs = { 1: 12_345.5, 2: -400 };
    const { recording } = await read({ ranks: 3, steps: 6, clockUs, lateUs: { 1: 80 } });
    const still = await read({ ranks: 3, steps: 6, lateUs: { 1: 80 } });
    expect(recording.clocks.map(({ appliedUs }) => Math.round(10 * appliedUs) / 10)).toEqual([0, 12_345.5, -400]);
    expect(recording.clocks[1]?.residualUs).toBeLessThan(0.01);
    recording.collectives.forEach(({ parts }, k) => {
      const others = still.recording.collectives[k]?.parts ?? [];
      for (const [p, part] of parts.entries()) expect(part.startUs).toBeCloseTo(others[p]?.startUs ?? 0, 3);
    });
    expect(analyse(recording).stragglers[0]?.rank).toBe(1);
  });

  it('on one host are left alone', async () => {
    const { recording } = await read({ ranks: 2, host: () => 'one', clockUs: { 1: 3 } });
    expect(recording.clocks[1]).toMatchObject({ appliedUs: 0 });
    expect(recording.clocks[1]?.offsetUs).toBeCloseTo(3, 3);
  });

  it('without distributedInfo take ranks from names, or in order with a warning', async () => {
    const named = await read({ ranks: 3, hasInfo: false, nameOf: (rank) => `trace-rank_${2 - rank}.pt.json` });
    expect(named.texts).toEqual([]);
    expect(named.recording.ranks.map(({ rank, rankFrom, host }) => [rank, rankFrom, host])).toEqual([
      [0, 'file name', 'node2'],
      [1, 'file name', 'node1'],
      [2, 'file name', 'node0'],
    ]);
    const bare = await read({ ranks: 2, hasInfo: false, nameOf: (rank) => `${['a', 'b'][rank]}.json` });
    expect(bare.texts).toEqual([
      'The file does not say which rank it is of; Lockstep treats this file as rank 0.',
      'The file does not say which rank it is of; Lockstep treats this file as rank 1.',
    ]);
  });

  it('without the GPU, or without steps, say what to record', async () => {
    const [file] = ncclTraces();
    const text = await new Response(file?.stream() as ReadableStream).text();
    const bare = text.replaceAll('"cat":"kernel"', '"cat":"overhead"').replaceAll('ncclDevKernel', 'x');
    const { notices } = await importFiles([fileOf('rank0.json', bare.replaceAll('ProfilerStep#', 'step '))]);
    expect(notices.map((notice) => notice.text)).toEqual([
      'The trace has no ProfilerStep#N, so the whole trace counts as one step: call prof.step() after each step.',
      "The trace launches NCCL's collectives but contains none of their kernels: record with ProfilerActivity.CUDA, too.",
      'The run had 2 ranks; rank 1 is missing, so waits for it are not known.',
    ]);
  });

  it('of some of the ranks say who is missing', async () => {
    const files = ncclTraces({ ranks: 4 }).slice(0, 2);
    const { recording, notices } = await importFiles(files);
    expect(recording?.title).toBe('torch.profiler, 2 of 4 ranks, nccl');
    expect(notices.map(({ text }) => text)).toEqual([
      'The run had 4 ranks; ranks 2, 3 are missing, so waits for them are not known.',
    ]);
    if (!recording) throw new Error('no recording');
    // Which rank was last is not known, so the bandwidth is not known either.
    expect(analyse(recording).collectives[0]?.busBandwidth).toBeUndefined();
  });
});
