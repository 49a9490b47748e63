/**
 * A pipeline that goes on from a checkpoint has the losses that real PyTorch came to when train.py went on from the
 * same files; on the same mesh they are those of the run without a stop.
 */
import { expect, test } from 'vitest';
import { runConfig } from '../../headless/run';
import { PIPELINE_RESUMES, recordedResumes, SAVED_AFTER } from '../testing/pipeline-resumes';

const { torch, losses: recorded } = recordedResumes();

test.each(PIPELINE_RESUMES)('$name', async ({ name, config, files, exact }) => {
  const { report } = await runConfig(config, await files());
  if (exact) {
    const { resume: _, ...begun } = config;
    const straight = await runConfig(begun, {});
    expect(report.losses).toEqual(straight.report.losses.slice(SAVED_AFTER));
  }
  const found = report.losses.map(({ loss }) => loss);
  const expected = recorded[name] ?? [];
  expect(found.length, `losses that torch ${torch} gave`).toBe(expected.length);
  for (const [i, loss] of expected.entries())
    expect(Math.abs((found[i] ?? Number.NaN) - loss), `loss ${SAVED_AFTER + i}, torch ${torch}`).toBeLessThan(1e-5);
});
