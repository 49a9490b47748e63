/**
 * The attention weights for a row of data. While the view is open, the hook asks the session again when the row, the
 * step or the session changes; the last answer stays until the next arrives.
 */
import { useEffect, useMemo, useState } from 'react';
import type { CallsOfRun } from '../../../protocol/session';
import { useController } from '../../run/use-controller';
import { useApp, useSettled } from '../../state/use-app';
import { createNewestOnly } from '../draw-view/newest-only';

export type AttentionAnswer = Awaited<ReturnType<CallsOfRun['attention']>>;

const EVERY_MS = 250;

export function useAttention(row: number): { readonly attention?: AttentionAnswer; readonly problem?: string } {
  const { ask } = useController();
  const info = useApp((app) => app.info);
  const ready = useApp((app) => app.state !== 'loading' && app.state !== 'failed');
  const step = useSettled((app) => app.snapshot?.step, EVERY_MS);
  const [answer, setAnswer] = useState<{ attention?: AttentionAnswer; problem?: string }>({});
  const newest = useMemo(
    () =>
      createNewestOnly({
        everyMs: EVERY_MS,
        ask: (asked: number) => ask((run) => run.attention(asked)),
        onAnswer: (attention: AttentionAnswer) => setAnswer({ attention }),
        onError: (error) => setAnswer({ problem: error instanceof Error ? error.message : String(error) }),
      }),
    [ask],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answer is of this step and of this session
  useEffect(() => {
    if (ready) newest.ask(row);
  }, [newest, row, step, ready, info]);
  useEffect(() => () => newest.drop(), [newest]);
  return answer;
}
