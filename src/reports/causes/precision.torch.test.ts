/**
 * Lower precision, and nothing else, is named as the cause in real runs: train.py in this machine's PyTorch, once in
 * float32 and once with --precision bf16, compared with each other and with Lockstep's own run.
 */
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at } from '../../base/invariant';
import { exportFiles } from '../../headless/export-run';
import { runConfig } from '../../headless/run';
import {
  exportedScript,
  pythonWithTorch,
  reportOf,
  runTorchScripts,
  sayNoTorch,
} from '../../training/testing/torch-scripts';
import { compareReports } from '../compare-reports';
import { parseReport, readReport } from '../read-report';
import { PRECISION_HISTORY, PRECISION_RUN, recordBf16 } from './testing/precision-run';

const RECORDED = 'the cause is tested on the recorded report of such a run (causes.test.ts)';

test('bf16 on one side, by a PyTorch of this machine', { timeout: 300_000, ...place({ rest: RECORDED }) }, async () => {
  const python = pythonWithTorch();
  if (python === undefined) return sayNoTorch('the cause "lower precision" was not tested on real runs.');
  const script = exportedScript(await exportFiles(PRECISION_RUN, {}));
  const args = [...(script.args ?? []), '--history', String(PRECISION_HISTORY)];
  const { outputs } = runTorchScripts(python, [
    { ...script, args },
    { ...script, args: [...args, '--precision', 'bf16'] },
  ]);
  expect(outputs.map(({ error }) => error)).toEqual([null, null]);
  if (process.env['LOCKSTEP_RECORD']) recordBf16(outputs.map(reportOf)[1] ?? '');
  const [float32, bf16] = outputs.map((output, i) => parseReport(reportOf(output), ['float32', 'bf16'][i] ?? ''));
  const { report } = await runConfig(PRECISION_RUN, {}, { records: { history: PRECISION_HISTORY, weights: true } });
  const own = readReport(JSON.parse(JSON.stringify(report)), 'here');
  const all = [own, float32, bf16].flatMap((one) => (one ? [one] : []));
  const causes = (a: number, b: number): readonly string[] => {
    const { verdict, causes: found } = compareReports(at(all, a), at(all, b));
    return [String(verdict.same), ...found.map(({ id }) => id)];
  };
  expect(causes(0, 1)).toEqual(['true']);
  expect(causes(1, 2)).toEqual(['false', 'precision']);
  expect(causes(0, 2)).toEqual(['false', 'precision']);
});
