/** What can be chosen in the lab. A change is applied at once; a value out of its limits is refused where it stands. */

import type { AlgorithmName } from '../../protocol/collective';
import { CommitField } from '../fields/commit-field';
import { Choice } from '../fields/settings';
import { formatSize } from '../format';
import { parseNumber } from '../permalink-keys';
import styles from './lab.module.css';
import { type LabSettings, MOST_RANKS, withLab } from './lab-link';
import { ALGORITHM_SHORT, LINK_PRESETS, OP_WORDS, presetOf, REDUCE_WORDS, REDUCING, ROOTED } from './lab-words';

interface ControlsProps {
  readonly lab: LabSettings;
  /** Algorithms that know the collective. */
  readonly known: readonly AlgorithmName[];
  readonly locked: boolean;
  readonly change: (next: LabSettings) => void;
}

const MOST_SIZE = 22;

export function Controls({ lab, known, locked, change }: ControlsProps) {
  /** Another collective begins at its start. */
  const set = (part: Partial<LabSettings>): string | undefined => {
    const next = withLab(lab, { round: 0, ...part });
    if (!next) return 'Out of its limits.';
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
  const words = Object.fromEntries(Object.entries(ALGORITHM_SHORT).filter(([name]) => known.some((k) => k === name)));
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
          {number('Elements', 'length', 'Of 4 bytes, that each rank brings: 0, 1 and fewer than ranks are fine')}
        </>
      )}
      {ROOTED.has(lab.type) && number('Root', 'root')}
      <LinkFields
        name={lab.nodes > 1 ? 'Link within a node' : 'Link'}
        latencyUs={lab.latencyUs}
        gbPerS={lab.gbPerS}
        onChange={(latencyUs, gbPerS) => set({ latencyUs, gbPerS })}
      />
      {number('Nodes', 'nodes', 'That the ranks are spread over evenly')}
      {lab.nodes > 1 && (
        <LinkFields
          name="Link between nodes"
          latencyUs={lab.acrossUs}
          gbPerS={lab.acrossGbPerS}
          onChange={(acrossUs, acrossGbPerS) => set({ acrossUs, acrossGbPerS })}
        />
      )}
      {number('Seed', 'seed', 'Of the values that the ranks bring')}
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

interface LinkFieldsProps {
  readonly name: string;
  readonly latencyUs: number;
  readonly gbPerS: number;
  readonly onChange: (latencyUs: number, gbPerS: number) => string | undefined;
}

function LinkFields({ name, latencyUs, gbPerS, onChange }: LinkFieldsProps) {
  const chosen = presetOf(latencyUs, gbPerS);
  const words = {
    ...Object.fromEntries(LINK_PRESETS.map(({ id, words: text }) => [id, text])),
    ...(chosen === 'own' ? { own: 'own figures' } : {}),
  };
  return (
    <>
      <Choice
        label={name}
        words={words}
        value={chosen}
        onChange={(id) => {
          const preset = LINK_PRESETS.find((link) => link.id === id);
          if (preset) onChange(preset.latencyUs, preset.gbPerS);
        }}
      />
      <CommitField
        label="α, latency in µs"
        text={String(latencyUs)}
        commit={(text) => onChange(parseNumber(text) ?? Number.NaN, gbPerS)}
      />
      <CommitField
        label="β, GB/s"
        text={String(gbPerS)}
        commit={(text) => onChange(latencyUs, parseNumber(text) ?? Number.NaN)}
      />
    </>
  );
}
