/** The losses of both compared runs, updated as they arrive. */
import { useMemo } from 'react';
import { useStore } from 'zustand';
import { usePalette } from '../draw/canvas-context';
import { AppContexts } from '../run/app-contexts';
import { useAppStore, useSettled } from '../state/use-app';
import { DuoLosses } from './duo-losses';
import { joinLosses } from './join-losses';
import type { RunComparison } from './use-comparison';

const EVERY_MS = 250;

export function LossesOfTwo({ comparison }: { comparison: RunComparison }) {
  const first = useAppStore();
  const palette = usePalette();
  return (
    <AppContexts services={comparison.services} palette={palette}>
      <Losses first={first} />
    </AppContexts>
  );
}

/** Rendered under run B's provider, so it updates with each step of run B; run A is at the same step. */
function Losses({ first }: { first: ReturnType<typeof useAppStore> }) {
  const ofB = useSettled((app) => app.losses, EVERY_MS);
  const ofA = useStore(first, (app) => app.losses);
  const accumulateA = useStore(first, (app) => app.info?.config.accumulate ?? 1);
  const accumulateB = useSettled((app) => app.info?.config.accumulate ?? 1, EVERY_MS);
  const both = useMemo(
    () => joinLosses({ losses: ofA, accumulate: accumulateA }, { losses: ofB, accumulate: accumulateB }),
    [ofA, ofB, accumulateA, accumulateB],
  );
  return <DuoLosses both={both} names={['run A', 'run B']} />;
}
