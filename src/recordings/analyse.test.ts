import { describe, expect, it } from 'vitest';
import { analyse } from './analyse';
import { importFiles } from './import-files';
import type { RecordingAnalysis } from './recording-analysis';
import { recorded } from './testing/files';

async function analysed(name: string): Promise<RecordingAnalysis> {
  const { recording } = await importFiles(recorded(name, /json[.]gz/));
  if (!recording) throw new Error('no recording');
  return analyse(recording);
}

/** Counted by a separate script from the raw traces, moment by moment. */
const GRID_0_5 = {
  durUs: 17_794.6,
  computeUs: 2685,
  communicationUs: 15_821.7,
  overlapUs: 1600.8,
  exposedUs: 14_220.9,
  waitingUs: 5098.3,
  idleUs: 888.7,
};
const GRID_2_6 = {
  durUs: 43_247.8,
  computeUs: 8266.5,
  communicationUs: 32_552.6,
  overlapUs: 7059.1,
  exposedUs: 25_493.5,
  waitingUs: 0,
  idleUs: 9487.8,
};

describe('a run with a slow rank', () => {
  it('names the rank, its delay and its cause', async () => {
    const { stragglers, sentences, waits } = await analysed('ddp4-slow2');
    const [worst, ...others] = stragglers;
    expect(others).toEqual([]);
    expect(worst).toMatchObject({ rank: 2, last: 6, of: 6, cause: { name: 'slow_loader', othersUs: 0 } });
    // time.sleep(0.004), and the time in which two cores wake up again.
    expect(worst?.byUs).toBeCloseTo(4329.6, 0);
    expect(worst?.cause?.us).toBeCloseTo(4447.8, 0);
    expect(sentences[0]).toContain('Rank 2 is a straggler: it joins last in 6 of 6 collectives');
    expect(sentences[0]).toContain('4.4 ms per step in slow_loader; the other ranks spend no time there');
    expect(waits.us[2]).toEqual([0, 0, 0, 0]);
    // The first all-reduce: rank 0 begins 3148.9 us before rank 2 (ts 4465399219439.8 and ...222588.7).
    expect((await analysed('ddp4-slow2')).collectives[0]?.waitedUs[0]).toBeCloseTo(3148.9, 0);
  });

  it('divides steps as a count on a grid of 0.1 us does', async () => {
    const { steps } = await analysed('ddp4-slow2');
    const of = (rank: number, step: number) => steps.find((found) => found.rank === rank && found.step === step);
    const near = (got: object | undefined, expected: Readonly<Record<string, number>>): void => {
      for (const [key, value] of Object.entries(expected)) {
        expect(Math.abs(Number(Object(got)[key]) - value), key).toBeLessThan(5);
      }
    };
    near(of(0, 5), GRID_0_5);
    near(of(2, 6), GRID_2_6);
    expect(of(2, 6)?.idle[0]).toMatchObject({ cause: 'loader', name: 'slow_loader' });
  });

  it('counts each moment once', async () => {
    for (const name of ['ddp2', 'ddp4-slow2']) {
      for (const step of (await analysed(name)).steps) {
        expect(step.computeUs + step.exposedUs + step.idleUs).toBeCloseTo(step.durUs, 3);
        expect(step.overlapUs + step.exposedUs).toBeCloseTo(step.communicationUs, 3);
        expect(step.waitingUs + step.transferUs).toBeCloseTo(step.exposedUs, 3);
        expect(step.idle.reduce((sum, { us }) => sum + us, 0)).toBeCloseTo(step.idleUs, 3);
        expect(step.bytes).toBe(4 * 85_002);
      }
    }
  });
});

describe('a run whose DataLoader is slow on one rank', () => {
  it('names it, by the first collective of each step, and all kinds of collectives', async () => {
    const { sentences, stragglers, kinds } = await analysed('loader3');
    expect(stragglers[0]).toMatchObject({ rank: 1, lateSteps: 3, steps: 3 });
    expect(sentences[0]).toMatch(
      /^Rank 1 is a straggler: .* per step in enumerate[(]DataLoader[)]#_Single.*__next__; the other ranks spend/,
    );
    expect(kinds.map(({ kind, bytes, count }) => [kind, bytes, count])).toEqual([
      ['all_reduce', 4 * 85_002, 3],
      // Three floats from each of three ranks; the loss.
      ['all_gather', 36, 3],
      ['all_reduce', 4, 3],
      ['broadcast', 4, 3],
      ['barrier', 0, 3],
    ]);
  });
});

describe('a run without one', () => {
  it('names no straggler', async () => {
    const { sentences } = await analysed('ddp2');
    expect(sentences[0]).toContain('The ranks do not all wait for the same rank');
  });

  it("has nccl-tests' bandwidths", async () => {
    const { collectives, kinds } = await analysed('ddp2');
    // 273,448 bytes in 561.8 us; two ranks: factor 1.
    expect(collectives[0]?.algorithmBandwidth).toBeCloseTo(273_448 / 561.83 / 1000, 3);
    expect(collectives[0]?.busBandwidth).toBe(collectives[0]?.algorithmBandwidth);
    expect(kinds.map(({ bytes, count, ranks }) => [bytes, count, ranks])).toEqual([
      [273_448, 3, 2],
      [66_560, 3, 2],
    ]);
  });
});
