/**
 * The scale of a GradScaler over the steps, with a cross at each skipped step. Styled with attributes only, so that it
 * can be saved as a file. Used in the set-up and in lessons.
 */
import { formatCount } from '../../draw/format';
import { ticks } from '../../draw/scales';
import { powerWords } from './range-figure';
import type { ScaleStory } from './scale-story';

interface FigureProps {
  readonly story: ScaleStory;
  readonly width: number;
}

/** The axis has at least this many steps. */
const FIRST_STEPS = 10;

const isSmall = (width: number): boolean => width < 300;
export const scaleHeight = (width: number): number => (isSmall(width) ? 110 : 220);

export function ScaleFigure({ story, width }: FigureProps) {
  const { steps, skipped } = story;
  const small = isSmall(width);
  const font = small ? 10.5 : 12.5;
  const height = scaleHeight(width);
  const [left, right, top, base] = [small ? 26 : 40, width - 10, font * 2 + 6, height - font - 10];
  const powers = steps.flatMap(({ scale, next }) => [Math.log2(scale), Math.log2(next)]);
  const [low, high] = [Math.floor(Math.min(...powers)) - 1, Math.ceil(Math.max(...powers)) + 1];
  const last = Math.max(FIRST_STEPS, steps.at(-1)?.step ?? 0);
  const x = (step: number): number => left + ((right - left) * step) / last;
  const y = (scale: number): number => base - ((base - top) * (Math.log2(scale) - low)) / (high - low);
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={scaleWords(story)}
      fontSize={font}
      fontFamily="system-ui, sans-serif"
    >
      <text x={0} y={font + 1} fill="var(--ink)">
        {small ? 'scale' : 'scale of the loss'}
      </text>
      <g transform={`translate(${width - 10} ${font + 1})`}>
        <text fill="var(--soft)" textAnchor="end">
          {skippedWords(skipped)}
        </text>
        <path d={cross(-0.55 * font * skippedWords(skipped).length - 10, -0.35 * font)} {...CROSS} />
      </g>
      {ticks({ from: low, to: high }, 4).map((power) =>
        Number.isInteger(power) ? (
          <g key={power} transform={`translate(0 ${y(2 ** power).toFixed(1)})`}>
            <path d={`M${left} 0H${right}`} stroke="var(--hair)" fill="none" />
            <text x={left - 6} y={0.35 * font} fill="var(--soft)" textAnchor="end">
              {powerWords(power)}
            </text>
          </g>
        ) : null,
      )}
      {ticks({ from: 0, to: last }, 5).map((step) => (
        <text key={step} x={x(step)} y={height - 3} fill="var(--soft)" textAnchor={step === last ? 'end' : 'middle'}>
          {step === 0 ? '' : formatCount(step)}
        </text>
      ))}
      <text x={left} y={height - 3} fill="var(--soft)">
        step
      </text>
      <path d={lineOf(steps, x, y)} stroke="var(--payload-gradient)" strokeWidth={2} fill="none" />
      {steps.map(({ step, scale, skipped: isSkipped }) =>
        isSkipped ? <path key={step} d={cross(x(step), y(scale))} {...CROSS} /> : null,
      )}
    </svg>
  );
}

const CROSS = { stroke: 'var(--bad)', strokeWidth: 2, fill: 'none' } as const;
const cross = (x: number, y: number): string => `M${(x - 4).toFixed(1)} ${(y - 4).toFixed(1)}l8 8m0 -8l-8 8`;

/** The line, with a corner wherever the scale changes. */
function lineOf(steps: ScaleStory['steps'], x: (step: number) => number, y: (scale: number) => number): string {
  const [first] = steps;
  if (!first) return '';
  const corners = steps.flatMap(({ step, scale, next }) =>
    next === scale ? [] : [`H${x(step).toFixed(1)}V${y(next).toFixed(1)}`],
  );
  const end = steps.at(-1)?.step ?? first.step;
  return `M${x(first.step - 1).toFixed(1)} ${y(first.scale).toFixed(1)}${corners.join('')}H${x(end).toFixed(1)}`;
}

const skippedWords = (skipped: number): string => `${formatCount(skipped)} skipped ${skipped === 1 ? 'step' : 'steps'}`;

function scaleWords({ steps, skipped }: ScaleStory): string {
  const [first, last] = [steps[0], steps.at(-1)];
  return `The scale of the loss over ${steps.length} steps: ${first?.scale} at first, ${last?.next} now. ${skippedWords(skipped)}.`;
}
