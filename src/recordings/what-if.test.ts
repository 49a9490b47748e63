import { describe, expect, it } from 'vitest';
import { importFiles } from './import-files';
import type { Recording } from './recording';
import { fileOf, recorded } from './testing/files';
import { ncclTraces } from './testing/nccl-traces';
import { whatIf } from './what-if';

async function read(files: Parameters<typeof importFiles>[0]): Promise<Recording> {
  const { recording } = await importFiles(files);
  if (!recording) throw new Error('no recording');
  return recording;
}

describe('a run that is as the model says', () => {
  it('without changes gives the recorded times', async () => {
    for (const options of [{}, { ranks: 4, lateUs: { 2: 300 } }, { latencyUs: 400, bytesPerUs: 20 }]) {
      const found = whatIf(await read(ncclTraces(options)), {});
      expect(found.error).toBeLessThan(1e-6);
      expect(found.changedUs).toBeCloseTo(found.recordedUs, 3);
      expect(found.label).toBe('modelled');
    }
  });

  it('finds latency and bandwidth of the link', async () => {
    const { linkBefore } = whatIf(await read(ncclTraces({ latencyUs: 20, bytesPerUs: 100 })), {});
    expect(linkBefore).toMatchObject({ from: 'recorded', sizes: 2, transfers: 4 });
    expect(linkBefore.latencyUs).toBeCloseTo(20, 6);
    expect(linkBefore.algorithmBandwidth).toBeCloseTo(0.1, 6);
  });

  it('with another cap is the run that was recorded with that cap', async () => {
    const gradients = [1000, 2000, 3000, 4000];
    const recording = await read(ncclTraces({ gradients, cuts: [2, 4], ranks: 3 }));
    const cuts = { [4 * 10_000]: [4], [4 * 2500]: [2, 3, 4], 1: [1, 2, 3, 4] };
    for (const [capBytes, cut] of Object.entries(cuts)) {
      const { changedUs, steps } = whatIf(recording, { bucketCapMb: Number(capBytes) / 2 ** 20 });
      const other = await read(ncclTraces({ gradients, cuts: cut, ranks: 3 }));
      expect(steps[0]?.after).toHaveLength(cut.length);
      expect(changedUs).toBeCloseTo(whatIf(other, {}).recordedUs, 3);
    }
  });

  it('over another link is the run that was recorded over that link', async () => {
    const recording = await read(ncclTraces({ ranks: 4 }));
    const other = await read(ncclTraces({ ranks: 4, latencyUs: 5, bytesPerUs: 1000 }));
    // bytesPerUs 1000 is 1 GB/s; with 4 ranks, bus bandwidth is 2 * 3 / 4 of it.
    const { changedUs, linkAfter } = whatIf(recording, { latencyUs: 5, busBandwidth: 1.5 });
    expect(linkAfter.from).toBe('given');
    expect(changedUs).toBeCloseTo(whatIf(other, {}).recordedUs, 3);
  });
});

describe('real runs', () => {
  it('the same cap and link give the recorded step within what the model says it is off by', async () => {
    for (const [name, most] of [
      ['ddp2', 0.2],
      ['ddp4-slow2', 0.4],
    ] as const) {
      const recording = await read(recorded(name, /json[.]gz/));
      const found = whatIf(recording, { bucketCapMb: 0.1 });
      // make_traces.py has bucket_cap_mb=0.1: the same buckets.
      expect(
        found.steps.map(
          ({ before, after }) => after.map(({ bytes }) => bytes).join() === before.map(({ bytes }) => bytes).join(),
        ),
      ).toEqual([true, true, true]);
      expect(found.changedUs).toBe(found.unchangedUs);
      for (const { changedUs, recordedUs } of found.steps) {
        expect(Math.abs(changedUs - recordedUs) / recordedUs).toBeLessThanOrEqual(found.error);
      }
      expect(found.error).toBeLessThan(most);
      expect(found.sentences[1]).toBe('The cap of 0.1 MiB gives the same 2 buckets as in the recording.');
    }
  });
});

describe('what can not be modelled', () => {
  it('is refused with the reason', async () => {
    const events = [{ ph: 'X', name: 'a', pid: 1, tid: 1, ts: 0, dur: 5 }];
    const recording = await read([fileOf('a.json', JSON.stringify(events))]);
    expect(() => whatIf(recording, { bucketCapMb: 1 })).toThrow(/cannot be modelled: fewer than two ranks/);
    const nccl = await read(ncclTraces());
    expect(() => whatIf(nccl, { bucketCapMb: 0 })).toThrow('The bucket cap (MiB) must be a number above 0, not 0.');
    expect(() => whatIf(nccl, { busBandwidth: Number.NaN })).toThrow('The bandwidth (GB/s)');
  });
});
