/**
 * The run on the page as a report: its losses so far, and its weights if the run is at the last step of the report with
 * which it is compared. Pure. Called by use-report.ts.
 */
import type { AnyReport } from '../../reports/any-report';
import { readReport } from '../../reports/read-report';
import type { AppState } from '../state/app-state';

export const THIS_RUN = 'this run';

/** The number of optimizer steps in a report. */
export const stepsOf = ({ losses }: AnyReport): number =>
  losses.reduce((most, { step }) => Math.max(most, step + 1), 0);

export function reportOfPage(
  { config, info, losses, snapshot }: Pick<AppState, 'config' | 'info' | 'losses' | 'snapshot'>,
  steps: number,
): AnyReport {
  // The number of epochs matters only headless, so it does not count as a difference.
  const { epochs: _, ...settings } = info?.config ?? config;
  const own = readReport({ config: { ...settings, steps: Math.max(1, steps) }, losses }, THIS_RUN);
  if (!info || snapshot?.step !== steps) return { ...own, madeBy: 'Lockstep' };
  const weights = new Map(
    info.parameters.flatMap(({ name, shape }, i) => {
      const values = snapshot.parameters[i];
      return values ? [[name, { shape, values }] as const] : [];
    }),
  );
  return { ...own, madeBy: 'Lockstep', weights };
}
