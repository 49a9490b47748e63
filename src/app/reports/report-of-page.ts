/**
 * The run on the page as a report: the losses that it has so far, and its weights where they are those behind the last
 * step of the report that it is held against. Pure. Called by use-report.ts.
 */
import type { AnyReport } from '../../reports/any-report';
import { readReport } from '../../reports/read-report';
import type { AppState } from '../state/app-state';

export const THIS_RUN = 'this run';

/** Optimizer steps that a report has. */
export const stepsOf = ({ losses }: AnyReport): number =>
  losses.reduce((most, { step }) => Math.max(most, step + 1), 0);

export function reportOfPage(
  { config, info, losses, snapshot }: Pick<AppState, 'config' | 'info' | 'losses' | 'snapshot'>,
  steps: number,
): AnyReport {
  // How long the page would run headless is no difference.
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
