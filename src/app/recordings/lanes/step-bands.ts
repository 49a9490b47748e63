/** The steps of a recording that are shown as bands, and the steps whose numbers fit. Pure; called by the scene. */
import type { RecordedStep } from '../../../recordings/recording';
import type { Eye } from './eye';

/** In pixels. */
export const NARROWEST_BAND = 7;
export const NARROWEST_NUMBER = 46;

function meanWidth({ scale }: Eye, steps: readonly RecordedStep[]): number {
  const [first, last] = [steps[0], steps.at(-1)];
  return first && last ? (scale(last.endUs) - scale(first.startUs)) / steps.length : 0;
}

export const stepsWideEnough = (eye: Eye, steps: readonly RecordedStep[], width: number): boolean =>
  meanWidth(eye, steps) >= width;

/** The steps with a number: every n-th if not all fit (n = 1, 2, 5, 10, 20 ...). */
export function numbered(eye: Eye, steps: readonly RecordedStep[]): readonly RecordedStep[] {
  const every = NARROWEST_NUMBER / Math.max(1e-6, meanWidth(eye, steps));
  const power = 10 ** Math.floor(Math.log10(Math.max(1, every)));
  const n = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= every) ?? 1;
  return n <= 1 ? steps : steps.filter(({ step }) => step % n === 0);
}
