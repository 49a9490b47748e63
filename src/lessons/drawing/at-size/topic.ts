/**
 * A worked example of realistic size: a lesson's main quantity, computed from a model's shapes for rented machines. A
 * topic defines its knobs, bars, values and sentence; at-size.ts does the rest.
 */
import { must } from '../../../base/invariant';
import { MACHINES, type Machine } from '../../../sizing/machines';
import type { Model } from '../../../sizing/model';
import { MODELS } from '../../../sizing/models';
import { memoryInAll, memoryOf } from '../../../sizing/step';
import { write } from '../../facts/write';
import type { Changes } from '../../lesson';
import type { BarPart, Bars } from '../bars';
import type { DrawnValue, Knob } from '../drawing';

/** The parsed settings of the knobs. For a knob that the topic lacks, its start value. */
export interface Chosen {
  readonly model: Model;
  readonly machine: Machine;
  readonly ranks: number;
  /** Rows per rank. */
  readonly rows: number;
  /** Value of the topic's own knob. */
  readonly own: string;
}

export interface Shown {
  readonly bars: Bars;
  readonly values: readonly DrawnValue[];
  readonly says: string;
}

export interface Topic {
  readonly knobs: readonly Knob[];
  readonly start: Changes;
  readonly show: (chosen: Chosen) => Shown;
  /** Models with a column in the table; left out: all. */
  readonly models?: readonly Model[];
}

const labels = (rows: readonly { readonly label: string }[]): readonly string[] => rows.map(({ label }) => label);
const ids = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id);

export const MODEL: Knob = { key: 'model', label: 'Model', values: ids(MODELS), words: labels(MODELS) };
export const MACHINE: Knob = {
  key: 'machine',
  label: 'Machine',
  values: ids(MACHINES),
  words: labels(MACHINES),
};
export const ROWS: Knob = {
  key: 'rows',
  label: 'Rows per GPU',
  values: ['1', '2', '4', '8', '16', '32', '64', '128', '256'],
};
export const RANKS: Knob = {
  key: 'ranks',
  label: 'Ranks',
  values: ['1', '2', '4', '8', '16', '32', '64', '128', '256'],
};
/** The knob for topics that need several ranks. */
export const SEVERAL_RANKS: Knob = { ...RANKS, values: RANKS.values.slice(1) };

export const own = (label: string, values: readonly string[], words?: readonly string[]): Knob => ({
  key: 'own',
  label,
  values,
  ...(words ? { words } : {}),
});

export const START: Changes = { model: 'gpt2', machine: 'a100', ranks: '8', rows: '8', own: '' };

export const chosenOf = (settings: Changes): Chosen => ({
  model: must(
    MODELS.find(({ id }) => id === settings['model']),
    'a model of the table',
  ),
  machine: must(
    MACHINES.find(({ id }) => id === settings['machine']),
    'a machine of the table',
  ),
  ranks: Number(settings['ranks']),
  rows: Number(settings['rows']),
  own: settings['own'] ?? '',
});

export const bytes = (id: string, label: string, value: number): DrawnValue => ({ id, label, value, format: 'bytes' });
export const time = (id: string, label: string, value: number): DrawnValue => ({ id, label, value, format: 'time' });
export const count = (id: string, label: string, value: number): DrawnValue => ({ id, label, value, format: 'count' });
export const share = (id: string, label: string, value: number): DrawnValue => ({
  ...{ id, label, value, format: 'percent' },
});
export const duration = (id: string, label: string, value: number): DrawnValue => ({
  ...{ id, label, value, format: 'duration' },
});

export const said = (
  bytesOrUs: number,
  format: 'bytes' | 'time' | 'count' | 'percent' | 'duration' | 'times',
): string => write(bytesOrUs, format);

/** '8 sequences of 1,024 tokens', '1 picture of 224 × 224'. */
export const rowsInWords = (rows: number, { row }: Model): string => {
  const [first = '', ...rest] = row.split(' ');
  return `${said(rows, 'count')} ${[rows === 1 ? first : `${first}s`, ...rest].join(' ')}`;
};

export const limitOf = ({ memoryBytes }: Machine): NonNullable<Bars['limit']> => ({
  value: memoryBytes,
  words: `memory of one GPU, ${said(memoryBytes, 'bytes')}`,
});

export function memoryParts(memory: ReturnType<typeof memoryOf>): readonly BarPart[] {
  return [
    { words: 'weights', tone: 'weights', value: memory.weights },
    { words: 'gradients', tone: 'gradients', value: memory.gradients },
    { words: 'optimiser states', tone: 'states', value: memory.states },
    { words: '16-bit copies of weights', tone: 'casts', value: memory.casts },
    { words: 'activations', tone: 'activations', value: memory.activations },
  ];
}

/** A sentence if the model does not fit; otherwise ''. */
export function fitNote({ model, machine, rows }: Pick<Chosen, 'model' | 'machine' | 'rows'>): string {
  const needed = memoryInAll(memoryOf(model, rows));
  if (needed <= machine.memoryBytes) return '';
  return ` One replica would need ${said(needed, 'bytes')} and a GPU has ${said(machine.memoryBytes, 'bytes')}: divide the model or its states first.`;
}
