/** Paints the small picture of the whole recording, in the colours of the theme. */
import type { Ink } from '../../draw/ink';
import type { Overview, OverviewBar } from '../../lanes/paint-frame';
import { toneFill } from './paint-recorded';
import type { RecordedModel } from './recorded-model';

export function overviewOf(ink: Ink, { coarse: ranks, recording }: RecordedModel): Overview {
  const { phase } = ink.palette;
  return {
    totalUs: Math.max(1, recording.durUs),
    rows: ranks.map(({ compute, communication }): readonly OverviewBar[] => [
      ...compute.map(({ startUs, endUs, tone }) => ({ startUs, endUs, fill: toneFill(ink, tone), share: 1 })),
      ...communication.map(({ startUs, endUs }) => ({ startUs, endUs, fill: phase.comm.edge, share: 0.5 })),
    ]),
    names: ['whole recording', 'recording', 'all'],
  };
}
