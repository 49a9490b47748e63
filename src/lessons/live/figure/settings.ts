/** The settings of a figure that the reader can change: their values, and how to show them. Pure. */
import { same } from '../../../app/model/families';
import type { Changes, Control, FigureSpec, Press, SettingControl } from '../../lesson';
import { linkOf, readLink } from '../../run-link';

export const isSetting = (control: Control): control is SettingControl => typeof control !== 'string';

export const settingsOf = ({ controls }: FigureSpec): readonly SettingControl[] => controls.filter(isSetting);

export const pressesOf = ({ controls }: FigureSpec): readonly Press[] =>
  controls.filter((control): control is Press => typeof control === 'string');

export const isLab = ({ run }: FigureSpec): boolean => run.split('&').some((pair) => pair.startsWith('lab='));

function runs(run: string, changes: Changes): unknown {
  const { config, view } = readLink(linkOf(run, changes));
  // The round that the lab shows is not a setting.
  return view.lab ? { ...view.lab, round: 0 } : { config, exhibit: view.exhibit };
}

/** The value of a setting; undefined if it is none of the values that the control offers. */
export function valueNow(run: string, { key, values }: SettingControl, changes: Changes): string | undefined {
  const now = runs(run, changes);
  return values.find((value) => same(runs(run, { ...changes, [key]: value }), now));
}

export type ControlShape = 'slider' | 'switch' | 'choice';

/** Pairs of values that mean off and on. */
const OFF_AND_ON: readonly (readonly [off: string, on: string])[] = [
  ['0', '1'],
  ['off', 'on'],
  ['no', 'yes'],
];

export function onValue({ values, words }: SettingControl): string | undefined {
  if (values.length !== 2) return undefined;
  return OFF_AND_ON.flatMap(([off, on]) => {
    const at = (words ?? values).indexOf(on);
    const plain = values.includes(off) && values.includes(on) && words === undefined;
    const worded = words?.includes(off) === true && at >= 0;
    return plain || worded ? [values[at] ?? ''] : [];
  })[0];
}

export function shapeOf(control: SettingControl): ControlShape {
  if (control.values.length > 3) return 'slider';
  return onValue(control) === undefined ? 'choice' : 'switch';
}

export const wordsOf = ({ values, words }: SettingControl, value: string | undefined): string => {
  const at = value === undefined ? -1 : values.indexOf(value);
  return words?.[at] ?? values[at] ?? '';
};
