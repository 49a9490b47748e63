/** Recordings of a real GPU: its kernels run later than the CPU has marked their step. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { must } from '../base/invariant';
import { analyse } from './analyse';
import { importFiles } from './import-files';
import { SPAN_KINDS } from './spans';
import { fileOf } from './testing/files';

async function read(name: string) {
  const file = new URL(`fixtures/${name}/rank0.json.gz`, import.meta.url);
  const text = gunzipSync(readFileSync(file)).toString();
  const { recording, notices } = await importFiles([fileOf('rank0.json', text)]);
  return { recording: must(recording, name), notices };
}

describe('a recording of an NVIDIA GPU', () => {
  it('has its stream as the computing lane, and arrows from launches to kernels', async () => {
    const { recording, notices } = await read('cuda-ahead');
    expect(notices).toEqual([]);
    const rank = must(recording.ranks[0], 'rank');
    expect(rank.lanes.map(({ label, role }) => [label.replace(/\d+/, 'N'), role])).toContainEqual([
      'stream N',
      'compute',
    ]);
    const stream = rank.lanes.findIndex(({ role }) => role === 'compute');
    const kernels = rank.flows.filter(({ toLane, fromLane }) => toLane === stream && fromLane !== stream);
    expect(kernels.length).toBeGreaterThan(100);
    expect(kernels.every(({ fromUs, toUs }) => fromUs <= toUs)).toBe(true);
    const { kind, count } = must(rank.lanes[stream], 'stream').spans;
    expect(Array.from(kind.subarray(0, count)).filter((of) => SPAN_KINDS[of] === 'kernel').length).toBe(265);
  });

  it('counts a step until its kernels have run, though the CPU is steps ahead', async () => {
    const { recording } = await read('cuda-ahead');
    const { steps } = analyse(recording);
    expect(steps.map(({ step }) => step)).toEqual([4, 5, 6]);
    for (const { durUs, computeUs } of steps) {
      // Without the profiler a step takes 71.6 ms; the CPU has launched one in 2.9.
      expect(durUs / 1000).toBeCloseTo(71.6, 0);
      expect(computeUs / durUs).toBeGreaterThan(0.99);
    }
    const [first, second] = must(recording.ranks[0], 'rank').steps;
    expect(second?.startUs).toBeCloseTo(first?.endUs ?? 0, 3);
  });

  it('of one rank: the findings begin with the parts of its step, and end with what the file cannot show', async () => {
    const { recording } = await read('cuda-small');
    const { sentences, ranks } = analyse(recording);
    const { durUs, computeUs, idleUs } = must(ranks[0], 'rank');
    const [computing, idle] = [computeUs, idleUs].map((us) => Math.round((100 * us) / durUs));
    expect(sentences[0]).toMatch(/^A step of rank 0 takes .* \(mean\): it computes for/);
    expect(sentences[0]).toContain(
      `computes for ${computing} % of that, records no communication, and is idle for ${idle} %.`,
    );
    expect(sentences.at(-1)).toBe('Record at least two ranks to see which rank the others wait for.');
  });

  it('follows the marks closely if the GPU waits for the CPU', async () => {
    const { recording } = await read('cuda-small');
    const [step] = analyse(recording).steps;
    const { durUs, computeUs, idle } = must(step, 'step');
    // The mark of ProfilerStep#6 is 12,710 us long; the last kernel of the step before ends a little after it began.
    expect(durUs).toBeGreaterThan(12_400);
    expect(durUs).toBeLessThan(12_711);
    expect(computeUs / durUs).toBeLessThan(0.05);
    expect(idle[0]?.cause).toBe('launch');
  });
});
