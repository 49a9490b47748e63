/**
 * Runs the control of the open run slice by slice while its panel is open; while the run itself plays, with a pause as
 * long as the slice after each slice.
 */
import { useEffect, useState } from 'react';
import type { ControlProgress } from '../../../protocol/session';
import { useController } from '../../run/use-controller';
import { useApp, useAppStore } from '../../state/use-app';

const REST_MS = 30;
/** The time between two checks once the control has caught up with the run. */
const LOOK_MS = 200;

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface ControlState {
  readonly progress: ControlProgress | undefined;
  /** Why there is no control, in words. */
  readonly failed: string | undefined;
}

export function useControl(): ControlState {
  const store = useAppStore();
  const { ask } = useController();
  const info = useApp((app) => app.info);
  const [state, setState] = useState<ControlState>({ progress: undefined, failed: undefined });
  useEffect(() => {
    setState({ progress: undefined, failed: undefined });
    if (!info) return;
    let wanted = true;
    const run = async () => {
      while (wanted) {
        // A run that is being opened or restarted has the machine to itself.
        if (store.getState().state === 'loading') {
          await rest(LOOK_MS);
          continue;
        }
        const progress = await ask((open) => open.controlRun(true));
        if (!wanted || !progress) return;
        setState({ progress, failed: undefined });
        const { state: now, snapshot } = store.getState();
        await rest(progress.step >= (snapshot?.step ?? 0) ? LOOK_MS : now === 'playing' ? REST_MS : 0);
      }
    };
    run().catch((error: unknown) => {
      if (wanted) setState({ progress: undefined, failed: error instanceof Error ? error.message : String(error) });
    });
    return () => {
      wanted = false;
      ask((open) => open.controlRun(false)).catch(() => undefined);
    };
  }, [store, ask, info]);
  return state;
}
