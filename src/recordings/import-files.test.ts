import { describe, expect, it } from 'vitest';
import { importFiles } from './import-files';
import type { Recording } from './recording';
import { spanAt } from './spans';
import { fileOf, recorded } from './testing/files';

async function read(name: string): Promise<Recording> {
  const { recording, notices } = await importFiles(recorded(name, /rank\d[.]json[.]gz/));
  expect(notices).toEqual([]);
  if (!recording) throw new Error('no recording');
  return recording;
}

describe("torch.profiler's traces of real runs", () => {
  it('have ranks, steps and lanes', async () => {
    const recording = await read('ddp4-slow2');
    expect(recording.title).toBe('torch.profiler, 4 ranks, gloo');
    expect(recording.steps).toEqual([4, 5, 6]);
    expect(recording.ranks.map(({ rank, rankFrom, host }) => [rank, rankFrom, host])).toEqual(
      [0, 1, 2, 3].map((rank) => [rank, 'distributedInfo', 'vm']),
    );
    for (const { lanes } of recording.ranks) {
      expect(lanes.map(({ role }) => role)).toEqual(['compute', 'communication', 'communication']);
      expect(lanes[1]?.label).toContain('pt_gloo_runloop');
    }
  });

  it('have the same collectives on all ranks, with their bytes', async () => {
    const recording = await read('ddp4-slow2');
    expect(recording.collectives.map(({ kind, bytes, step, parts }) => [kind, bytes, step, parts.length])).toEqual(
      [4, 5, 6].flatMap((step) => [
        ['all_reduce', 4 * 68_362, step, 4],
        ['all_reduce', 4 * 16_640, step, 4],
      ]),
    );
    expect(recording.collectives[0]).toMatchObject({ group: '0', groupDescription: 'default_pg', dtype: 'float' });
  });

  it('keep the times and shapes of the file', async () => {
    const recording = await read('ddp4-slow2');
    const [rank] = recording.ranks.slice(2);
    const lane = rank?.lanes[0];
    if (!rank || !lane) throw new Error('no rank 2');
    const spans = Array.from({ length: lane.spans.count }, (_, k) => spanAt(rank, lane, k));
    const slow = spans.filter(({ kind }) => kind === 'loader');
    expect(slow.map(({ name }) => name)).toEqual(['slow_loader', 'slow_loader', 'slow_loader']);
    // ts of the file: ProfilerStep#4 at 4465399216398.9, slow_loader at ...216551.6, for 4447.8 us.
    expect(slow[0]?.durUs).toBeCloseTo(4447.8, 0);
    expect((slow[0]?.startUs ?? 0) - (rank.steps[0]?.startUs ?? 0)).toBeCloseTo(152.7, 0);
    const linear = spans.find(({ name }) => name === 'aten::linear');
    expect(linear?.shapes).toBe('[[32,64],[256,64],[256]]');
  });

  it('on one machine, clocks are left alone', async () => {
    for (const name of ['ddp2', 'ddp4-slow2']) {
      for (const { appliedUs, offsetUs, residualUs } of (await read(name)).clocks) {
        expect(appliedUs).toBe(0);
        expect(Math.abs(offsetUs)).toBeLessThan(Math.max(1000, residualUs));
      }
    }
  });

  it('come in any pieces', async () => {
    const whole = await read('ddp2');
    const pieces = recorded('ddp2', /rank\d[.]json[.]gz/).map((file) => ({ file, bytes: [] as Uint8Array[] }));
    for (const { file, bytes } of pieces) for await (const piece of file.stream()) bytes.push(piece);
    const files = pieces.map(({ file, bytes }) => fileOf(file.name, bytes[0] ?? new Uint8Array(0), 97));
    const { recording } = await importFiles(files);
    expect(recording?.collectives).toEqual(whole.collectives);
    expect(recording?.ranks).toEqual(whole.ranks);
  });
});
