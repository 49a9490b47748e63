/**
 * Explains the stage's colours: the step's scales, one for each kind of value, the hues of ranks in chunks, the meaning
 * of frames, and the direction of a ring.
 */
import { useId, useRef } from 'react';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { TermId } from '../../protocol/words/glossary';
import { RING_SHORT, RING_WHY, turnsRing } from '../../trace/ring-words';
import { usePalette } from '../draw/canvas-context';
import { formatTick } from '../draw/format';
import type { Painted } from '../draw/use-surface';
import { useThrottled } from '../draw/use-throttled';
import { powerOfTen, unitOf } from '../draw/value-scale';
import { useApp } from '../state/use-app';
import { Note, Term } from '../terms/term';
import styles from './legend.module.css';
import type { StageModel } from './stage-model';
import { MOST_HUES, VALUE_KINDS, type ValueKind } from './value-scales';

const STOPS = Array.from({ length: 9 }, (_, i) => i / 4 - 1);
const NAMES: Readonly<Record<ValueKind, readonly [term: TermId, shown: string]>> = {
  weight: ['weight', 'weights'],
  activation: ['activation', 'activations'],
  gradient: ['gradient', 'gradients'],
  delta: ['δ', 'δ'],
  sum: ['chunk', 'chunks'],
};

interface LegendProps {
  readonly model: StageModel;
  readonly onPainted: Painted['onPainted'];
}

/** Two lines; in a narrow figure one line with the scale, and the rest behind a button (legend.module.css). */
export function Legend({ model, onPainted }: LegendProps) {
  const id = useId();
  const sheet = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const palette = usePalette();
  const step = useThrottled(onPainted, () => model.step, 300);
  const trace = step?.trace;
  const cut = useApp((app) => app.info !== undefined && meshSizes(app.info.config).tp > 1);
  const sums = step?.scales.end('sum');
  const ramp = STOPS.map((at) => palette.diverging(Math.sign(at) * Math.abs(at) ** 0.7)).join(', ');
  const place = () => {
    const at = button.current?.getBoundingClientRect();
    const element = sheet.current;
    if (!at || !element) return;
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
    element.style.top = `${Math.max(8, at.top - height - 4)}px`;
  };
  return (
    <div className={styles['legend']}>
      <span className={styles['scale']}>
        <span>−</span>
        <span className={styles['ramp']} style={{ background: `linear-gradient(to right, ${ramp})` }} />
        <span>+</span>
      </span>
      <button ref={button} type="button" className={styles['more']} popoverTarget={id}>
        What colours mean
      </button>
      <div ref={sheet} id={id} popover="auto" className={styles['rest']} onToggle={place}>
        <span className={styles['line']}>
          {VALUE_KINDS.map((kind) => {
            const end = step?.scales.end(kind);
            return (
              end !== undefined && (
                <span key={kind}>
                  <Term id={NAMES[kind][0]}>{NAMES[kind][1]}</Term> ±{formatTick(end)}
                </span>
              )
            );
          })}
          {sums !== undefined && <span>printed × {powerOfTen(unitOf(sums))}</span>}
        </span>
        <span className={styles['line']}>
          {sums !== undefined && <Bars />}
          {cut && <span>dashed: a tensor group</span>}
          {trace && turnsRing(trace) && (
            <Note label={RING_SHORT} named={RING_SHORT}>
              {RING_WHY}
            </Note>
          )}
        </span>
      </div>
    </div>
  );
}

/** The key to a chunk's bars: the hue of each rank; with more ranks than hues, what a bar's height and colour mean. */
function Bars() {
  const palette = usePalette();
  const titles = useApp((app) => app.info?.roles) ?? [];
  const last = titles.length - 1;
  if (last >= MOST_HUES)
    return (
      <>
        <span>bar: how many of the {last + 1} ranks are in a chunk</span>
        <span>coloured: a chunk that this rank sends or adds to</span>
      </>
    );
  return (
    <>
      <span className={styles['scale']}>
        <span>bars: whose values</span>
        {last > 1 && <span>0</span>}
        <span className={styles['hues']}>
          {titles.slice(0, MOST_HUES).map(({ title }, device) => (
            <span key={title}>
              <i style={{ background: palette.ranks[device % palette.ranks.length] }} />
              {last < 2 && title}
            </span>
          ))}
        </span>
        {last > 1 && <span>{last}</span>}
      </span>
      <span>
        coloured frame: a chunk that this {titles.some((t) => t.title.startsWith('rank')) ? 'rank' : 'device'} sends or
        adds to
      </span>
    </>
  );
}
