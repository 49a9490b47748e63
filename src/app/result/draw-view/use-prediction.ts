/**
 * The model's prediction for the newest input: asked while the user draws, and again at each snapshot, because the
 * model continues to learn.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useController } from '../../run/use-controller';
import { useApp, useSettled } from '../../state/use-app';
import { createNewestOnly } from './newest-only';

const EVERY_MS = 50;
const SNAPSHOT_MS = 250;

interface Prediction {
  readonly probabilities: Float32Array | undefined;
  readonly problem: string | undefined;
  /** undefined: the drawing was cleared. */
  readonly ask: (input: Float32Array<ArrayBuffer> | undefined) => void;
}

export function usePrediction(): Prediction {
  const { ask } = useController();
  const info = useApp((app) => app.info);
  const ready = useApp((app) => app.state !== 'loading' && app.state !== 'failed');
  const step = useSettled((app) => app.snapshot?.step, SNAPSHOT_MS);
  const [answer, setAnswer] = useState<Pick<Prediction, 'probabilities' | 'problem'>>();
  const input = useRef<Float32Array<ArrayBuffer>>(undefined);
  const newest = useMemo(
    () =>
      createNewestOnly({
        everyMs: EVERY_MS,
        ask: (drawn: Float32Array<ArrayBuffer>) => ask((run) => run.predict(drawn)),
        onAnswer: (probabilities: Float32Array) => setAnswer({ probabilities, problem: undefined }),
        onError: (error) =>
          setAnswer({ probabilities: undefined, problem: error instanceof Error ? error.message : String(error) }),
      }),
    [ask],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answer is of this step and of this session
  useEffect(() => {
    if (ready && input.current) newest.ask(input.current);
  }, [newest, step, ready, info]);
  useEffect(() => () => newest.drop(), [newest]);
  const put = useCallback(
    (next: Float32Array<ArrayBuffer> | undefined) => {
      input.current = next;
      if (next) return newest.ask(next);
      newest.drop();
      setAnswer(undefined);
    },
    [newest],
  );
  return { probabilities: answer?.probabilities, problem: answer?.problem, ask: put };
}
