/**
 * Fields that stand for one place in the Config: limits and options come from its schema (setting-ranges.ts), a change
 * is applied at once. A setting that the Config does not have as it is (momentum under Adam) is not shown.
 */
import { useId } from 'react';
import { withSetting } from '../edit/edit-config';
import { putData } from '../edit/edit-data';
import { rangeOf, readSetting } from '../edit/setting-ranges';
import { knownRow } from '../model/known-row';
import { parseNumber } from '../permalink/permalink-keys';
import { replacedNotice } from '../shell/use-file-drop';
import { useApp, useController } from '../state/use-app';
import { CommitField } from './commit-field';
import styles from './fields.module.css';

interface SettingProps {
  readonly label: string;
  /** Dotted place in the Config. */
  readonly path: string;
  readonly title?: string;
}

function useSetting(path: string) {
  const config = useApp((app) => app.config);
  const info = useApp((app) => app.info);
  const controller = useController();
  const place = path.split('.');
  const set = (value: unknown): string | undefined => {
    const edit = withSetting(config, place, value);
    if (!edit.ok) return sentence(edit.problem);
    // What changes within the data changes the rows that the model reads.
    const refitted =
      place[0] === 'data' ? putData(edit.config, edit.config.data, knownRow(edit.config, info)) : undefined;
    controller.apply(refitted?.config ?? edit.config, 'edit', replacedNotice(refitted?.replaced));
    return undefined;
  };
  return { value: readSetting(config, place), range: rangeOf(config, place), set };
}

export const sentence = (problem: string) => `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`;

export function NumberSetting({ label, path, title }: SettingProps) {
  const { value, range, set } = useSetting(path);
  if (range?.kind !== 'number') return null;
  const commit = (text: string) => set(text === '' ? undefined : (parseNumber(text) ?? text));
  const shown = value === undefined ? '' : String(value);
  return <CommitField label={label} text={shown} commit={commit} title={title} numeric={range.word === undefined} />;
}

interface TextSettingProps extends SettingProps {
  readonly print: (value: unknown) => string;
  readonly parse: (text: string) => unknown;
}

export function TextSetting({ label, path, title, print, parse }: TextSettingProps) {
  const { value, range, set } = useSetting(path);
  if (!range) return null;
  return (
    <CommitField label={label} text={print(value)} commit={(text) => set(parse(text))} title={title} numeric={false} />
  );
}

interface ChoiceSettingProps extends SettingProps {
  /** Words for the options; an option without words is not offered. */
  readonly words: Readonly<Record<string, string>>;
}

export function ChoiceSetting({ label, path, title, words }: ChoiceSettingProps) {
  const { value, range, set } = useSetting(path);
  if (range?.kind !== 'choice') return null;
  return <Choice label={label} title={title} words={words} value={String(value)} onChange={set} />;
}

interface ChoiceProps {
  readonly label: string;
  readonly words: Readonly<Record<string, string>>;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly title?: string | undefined;
}

export function Choice({ label, words, value, onChange, title }: ChoiceProps) {
  const id = useId();
  return (
    <div className={styles['row']} title={title}>
      <label htmlFor={id}>{label}</label>
      <select id={id} className={styles['select']} value={value} onChange={(event) => onChange(event.target.value)}>
        {Object.entries(words).map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

export function FlagSetting({ label, path, title }: SettingProps) {
  const { value, range, set } = useSetting(path);
  const id = useId();
  if (range?.kind !== 'boolean') return null;
  return (
    <div className={styles['row']} title={title}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="checkbox"
        className={styles['check']}
        checked={value === true}
        onChange={(event) => set(event.target.checked)}
      />
    </div>
  );
}

/** A number or a tick, as the schema has it; nothing where the Config has no such setting. */
export function SettingOfAnyKind(props: SettingProps) {
  return (
    <>
      <NumberSetting {...props} />
      <FlagSetting {...props} />
    </>
  );
}
