/**
 * train.py of a pipeline goes on from a checkpoint that Lockstep wrote, in the PyTorch of this machine if that has
 * pipelines (2.6): its losses are the recorded ones, to which pipeline-resume.test.ts holds Lockstep's own.
 */
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { exportFiles } from '../../headless/export-run';
import { PIPELINE_RESUMES, recordedResumes, recordResumes } from '../testing/pipeline-resumes';
import { exportedScript, pythonWithTorch, reportOf, runTorchScripts, sayNoTorch } from '../testing/torch-scripts';

interface Written {
  readonly losses: readonly { readonly step: number; readonly loss: number }[];
}

test('pipelines resumed by train.py', { timeout: 400_000 }, async () => {
  const module = 'torch.distributed.pipelining';
  const python = pythonWithTorch(module);
  if (python === undefined) {
    const more = [`Lockstep's own were compared with what torch ${recordedResumes().torch} came to.`];
    return sayNoTorch(`${PIPELINE_RESUMES.length} pipelines were not resumed.`, { module, more });
  }
  const folders = await Promise.all(
    PIPELINE_RESUMES.map(async ({ config, files }) => exportFiles(config, await files())),
  );
  const { torch, outputs } = runTorchScripts(python, folders.map(exportedScript));
  expect(outputs.map(({ error }) => error)).toEqual(PIPELINE_RESUMES.map(() => null));
  const reports = outputs.map((output) => JSON.parse(reportOf(output)) as Written);
  const found = PIPELINE_RESUMES.map(({ name }, i) => [name, at(reports, i).losses.map(({ loss }) => loss)] as const);
  if (process.env['LOCKSTEP_RECORD']) recordResumes({ torch, losses: Object.fromEntries(found) });
  const { losses: recorded } = recordedResumes();
  for (const [name, losses] of found) {
    const expected = recorded[name] ?? [];
    expect(losses.length, name).toBe(expected.length);
    for (const [i, loss] of losses.entries()) expect(Math.abs(loss - (expected[i] ?? Number.NaN))).toBeLessThan(1e-5);
  }
});
