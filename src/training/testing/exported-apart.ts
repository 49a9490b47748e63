/** Exports runs, trains the exported folders in PyTorch, and says where the runs' losses and final weights differ. */
import { at } from '../../base/invariant';
import { exportFiles } from '../../headless/export-run';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import { lossesApart, type TorchReport, weightsApart } from './torch-apart';
import { exportedScript, reportOf, runTorchScripts } from './torch-scripts';

export interface ExportedCase {
  readonly name: string;
  readonly config: ConfigInput;
  /** The checkpoint, if the run resumes. */
  readonly files?: () => Promise<Files>;
}

/** One text for each difference or failed script; empty if PyTorch trains every run as Lockstep does. */
export async function exportedApart(python: string, cases: readonly ExportedCase[]): Promise<readonly string[]> {
  const runs = await Promise.all(
    cases.map(async ({ name, config, files }) => {
      const given = (await files?.()) ?? {};
      return { name, folder: await exportFiles(config, given), own: await runConfig(config, given) };
    }),
  );
  const { outputs } = runTorchScripts(
    python,
    runs.map(({ folder }) => exportedScript(folder)),
  );
  return runs.flatMap(({ name, folder: { config }, own }, i) => {
    const output = at(outputs, i);
    const text = reportOf(output);
    if (output.error !== null || text === '')
      return [`${name}: ${(output.error ?? 'no report').trim().split('\n').slice(-3).join(' ')}`];
    const report = JSON.parse(text) as TorchReport;
    return [...lossesApart(report, own.report.losses, undefined), ...weightsApart(report, own.weights(), config)].map(
      (apart) => `${name}: ${apart}`,
    );
  });
}
