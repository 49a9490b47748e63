/** A comparison as an object for JSON: `lockstep compare --json`. Numbers that are not finite are null. */
import type { ReportComparison } from './compare-reports';

export function comparisonJson({ a, b, bar, history, losses, settings, parting, ...rest }: ReportComparison): object {
  const { pairs: _, ...summary } = losses;
  return {
    a: { name: a.name, madeBy: a.madeBy },
    b: { name: b.name, madeBy: b.madeBy },
    ...rest,
    bar: bar.text,
    settings: settings ?? null,
    parts: parting ? { step: parting.step, stage: parting.stage, tensor: parting.tensor?.name ?? null } : null,
    losses: summary,
    history: {
      steps: history.steps.length,
      tensors: history.tensors,
      rounding: [...history.rounding],
      notes: history.notes,
    },
  };
}
