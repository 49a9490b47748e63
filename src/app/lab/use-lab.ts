/**
 * The lab's content, requested from the session: the run of the collective, the curves of the algorithms, and, on
 * request, a measurement. Old answers stay until new ones arrive.
 */
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { LabCurves, LabMeasurement, LabResult } from '../../protocol/lab';
import { type LabSettings, labRequest, printLab } from '../permalink/lab-link';
import { useController } from '../run/use-controller';

export interface LabAnswers {
  readonly result: LabResult | undefined;
  readonly curves: LabCurves | undefined;
  readonly measured: LabMeasurement | undefined;
  readonly measuring: boolean;
  readonly problem: string | undefined;
  measure(): void;
}

const CURVES_AFTER_MS = 250;

const words = (error: unknown): string => {
  const hint = error instanceof Error && 'hint' in error ? String(error.hint) : '';
  return `${error instanceof Error ? error.message : String(error)} ${hint}`.trim();
};

export function useLab(settings: LabSettings): LabAnswers {
  const { askApart } = useController();
  const [result, setResult] = useState<LabResult>();
  const [curves, setCurves] = useState<LabCurves>();
  const [measured, setMeasured] = useState<LabMeasurement>();
  const [measuring, setMeasuring] = useState(false);
  const [problem, setProblem] = useState<string>();
  // The shown round is left out, because it does not change the run.
  const what = printLab({ ...settings, round: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `what` says all that the request is made of
  const request = useMemo(() => labRequest(settings), [what]);

  useEffect(() => {
    let gone = false;
    setMeasured(undefined);
    const unless = <T>(take: (answer: T) => void) => {
      return (answer: T) => {
        if (!gone) take(answer);
      };
    };
    askApart((session) => session.lab(request))
      .then(
        unless((answer) => {
          setResult(answer);
          setProblem(undefined);
        }),
      )
      .catch(unless((error: unknown) => setProblem(words(error))));
    const timer = setTimeout(() => {
      askApart((session) => session.labCurves(request))
        .then(unless(setCurves))
        // The run of the collective reports what is wrong with the request.
        .catch(() => undefined);
    }, CURVES_AFTER_MS);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [askApart, request]);

  const measure = useCallback(() => {
    setMeasuring(true);
    askApart((session) => session.measureLab(request))
      .then(setMeasured)
      .catch((error: unknown) => setProblem(words(error)))
      .finally(() => setMeasuring(false));
  }, [askApart, request]);
  return { result, curves, measured, measuring, problem, measure };
}
