/** The settings of the lab. A change is applied at once; the words beside a field refuse a value outside its limits. */

import type { AlgorithmName } from '../../protocol/collective';
import { namesOf } from '../../protocol/words/algorithms';
import { formatSize } from '../draw/format';
import { CommitField } from '../fields/commit-field';
import { Choice } from '../fields/settings';
import { type LabSettings, limitsOf, MOST_RANKS, withLab } from '../permalink/lab-link';
import { parseNumber } from '../permalink/permalink-codecs';
import styles from './lab.module.css';
import { LINK_PRESETS, type LinkPreset, OP_WORDS, presetOf, REDUCE_WORDS, REDUCING, ROOTED } from './lab-words';

interface ControlsProps {
  readonly lab: LabSettings;
  /** The algorithms that implement the collective. */
  readonly known: readonly AlgorithmName[];
  readonly locked: boolean;
  readonly change: (next: LabSettings) => void;
}

const MOST_SIZE = 22;

/** What is wrong with the first value outside its limits. */
function brokenLimits(lab: LabSettings, part: Partial<LabSettings>): string {
  const wrong = (Object.keys(part) as (keyof LabSettings)[]).find((key) => !withLab(lab, { [key]: part[key] }));
  return limitsOf(wrong ?? 'type', lab);
}

export function Controls({ lab, known, locked, change }: ControlsProps) {
  /** A different collective is shown from its start. */
  const set = (part: Partial<LabSettings>): string | undefined => {
    const next = withLab(lab, { round: 0, ...part });
    if (!next) return brokenLimits(lab, part);
    change(next);
    return undefined;
  };
  const number = (label: string, key: keyof LabSettings, title?: string) => (
    <CommitField
      label={label}
      text={String(lab[key])}
      commit={(text) => set({ [key]: parseNumber(text) })}
      title={title}
    />
  );
  const words = Object.fromEntries(Object.entries(namesOf('short')).filter(([name]) => known.some((k) => k === name)));
  return (
    <fieldset className={styles['controls']} disabled={locked} aria-label="Settings of the lab">
      <Choice
        label="Collective"
        words={OP_WORDS}
        value={lab.type}
        onChange={(type) => set({ type: type as LabSettings['type'] })}
      />
      {REDUCING.has(lab.type) && (
        <Choice
          label="ReduceOp"
          words={REDUCE_WORDS}
          value={lab.reduce}
          onChange={(reduce) => set({ reduce: reduce as LabSettings['reduce'] })}
        />
      )}
      <Choice
        label="Algorithm"
        words={words}
        value={known.includes(lab.algorithm) ? lab.algorithm : (known.at(-1) ?? lab.algorithm)}
        onChange={(algorithm) => set({ algorithm: algorithm as LabSettings['algorithm'] })}
      />
      <Slider
        label="Ranks"
        value={lab.ranks}
        text={String(lab.ranks)}
        min={1}
        max={MOST_RANKS}
        onChange={(ranks) => set({ ranks })}
      />
      {lab.type !== 'barrier' && (
        <>
          <Slider
            label="Size"
            value={lab.length === 0 ? -1 : Math.log2(lab.length)}
            text={formatSize(4 * lab.length)}
            min={-1}
            max={MOST_SIZE}
            onChange={(power) => set({ length: power < 0 ? 0 : Math.round(2 ** power) })}
          />
          {number(
            'Elements',
            'length',
            'Elements per rank, 4 bytes each; 0, or fewer than there are ranks, is allowed',
          )}
        </>
      )}
      {ROOTED.has(lab.type) && number('Root', 'root')}
      <LinkFields
        name={lab.nodes > 1 ? 'Link within a node' : 'Link'}
        figures={{ startUs: lab.startUs, latencyUs: lab.latencyUs, gbPerS: lab.gbPerS }}
        onChange={set}
      />
      {number('Nodes', 'nodes', 'The ranks are spread evenly over the nodes')}
      {lab.nodes > 1 && (
        <LinkFields
          name="Link between nodes"
          figures={{ latencyUs: lab.acrossUs, gbPerS: lab.acrossGbPerS }}
          onChange={({ latencyUs, gbPerS }) =>
            set({
              ...(latencyUs === undefined ? {} : { acrossUs: latencyUs }),
              ...(gbPerS === undefined ? {} : { acrossGbPerS: gbPerS }),
            })
          }
        />
      )}
      {number('Seed', 'seed', 'Seed of the values in the buffers')}
    </fieldset>
  );
}

interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly text: string;
  readonly min: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}

export function Slider({ label, value, text, min, max, onChange }: SliderProps) {
  return (
    <label className={styles['slider']}>
      <span>{label}</span>
      <input
        type="range"
        min={min}
        max={max}
        step={1}
        value={Math.round(value)}
        aria-valuetext={text}
        onChange={(event) => onChange(Number(event.target.value))}
      />
      <b>{text}</b>
    </label>
  );
}

type Figures = Pick<LinkPreset, 'latencyUs' | 'gbPerS'> & Partial<Pick<LinkPreset, 'startUs'>>;

interface LinkFieldsProps {
  readonly name: string;
  /** The figures of a link; the link between nodes has no start time. */
  readonly figures: Figures;
  readonly onChange: (change: Partial<Figures>) => string | undefined;
}

function LinkFields({ name, figures, onChange }: LinkFieldsProps) {
  const chosen = presetOf(figures);
  const words = {
    ...Object.fromEntries(LINK_PRESETS.map(({ id, words: text }) => [id, text])),
    ...(chosen === 'own' ? { own: 'own figures' } : {}),
  };
  const field = (label: string, key: keyof Figures, title: string) => (
    <CommitField
      label={label}
      text={String(figures[key])}
      commit={(text) => onChange({ [key]: parseNumber(text) ?? Number.NaN })}
      title={title}
    />
  );
  return (
    <>
      <Choice
        label={name}
        words={words}
        value={chosen}
        onChange={(id) => {
          const preset = LINK_PRESETS.find((link) => link.id === id);
          if (!preset) return;
          const { startUs, latencyUs, gbPerS } = preset;
          onChange({ ...(figures.startUs === undefined ? {} : { startUs }), latencyUs, gbPerS });
        }}
      />
      {figures.startUs !== undefined &&
        field('start, µs', 'startUs', 'Fixed cost of a collective, before its first message')}
      {field('α, latency in µs', 'latencyUs', 'Fixed cost of a message, whatever its size')}
      {field('β, bandwidth in GB/s', 'gbPerS', 'In the papers β is the reciprocal of this: seconds per byte')}
    </>
  );
}
