/**
 * Fields for single settings of the Config: limits and options come from the schema (setting-ranges.ts), a change is
 * applied at once. A setting that the present Config does not have (momentum under Adam) is not shown. A field's place,
 * label and tooltip come from the setting's row in protocol/words: `<NumberSetting {...RUN.batchSize} />`.
 */
import { type ComponentProps, useId } from 'react';
import type { Setting } from '../../protocol/words/setting';
import { type Edit, withSetting, withText } from '../edit/edit-config';
import { putData } from '../edit/edit-data';
import { replacedNotice } from '../edit/replaced-notice';
import { rangeOf, readSetting } from '../edit/setting-ranges';
import { knownRow } from '../model/known-row';
import { parseNumber } from '../permalink/permalink-codecs';
import { parseValue, printValue } from '../permalink/permalink-values';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';
import { CommitField } from './commit-field';
import styles from './fields.module.css';
import { problemSentence } from './problem-sentence';

function useSetting(path: string) {
  const config = useApp((app) => app.config);
  const info = useApp((app) => app.info);
  const controller = useController();
  const place = path.split('.');
  const take = (edit: Edit): string | undefined => {
    if (!edit.ok) return problemSentence(edit.problem);
    // A change within the data changes the rows that the model reads.
    const refitted =
      place[0] === 'data' ? putData(edit.config, edit.config.data, knownRow(edit.config, info)) : undefined;
    controller.apply(refitted?.config ?? edit.config, 'edit', replacedNotice(refitted?.replaced));
    return undefined;
  };
  const set = (value: unknown) => take(withSetting(config, place, value));
  const setText = (text: string, parse: (text: string) => unknown) => take(withText(config, place, text, parse));
  return { value: readSetting(config, place), range: rangeOf(config, place), set, setText };
}

interface NumberSettingProps extends Setting {
  /** What holds without a number. */
  readonly whenEmpty?: string;
}

export function NumberSetting({ path, title, description, ...empty }: NumberSettingProps) {
  const { value, range, setText } = useSetting(path);
  if (range?.kind !== 'number') return null;
  const commit = (text: string) => setText(text, parseNumber);
  const shown = value === undefined ? '' : String(value);
  const numeric = range.word === undefined;
  return <CommitField label={title} text={shown} commit={commit} title={description} numeric={numeric} {...empty} />;
}

const FITS_BESIDE_LABEL = 12;

type LineFieldProps = Omit<ComponentProps<typeof CommitField>, 'numeric' | 'wide'>;

const LineField = (props: LineFieldProps) => (
  <CommitField {...props} numeric={false} wide={props.text.length > FITS_BESIDE_LABEL} />
);

interface TextSettingProps extends Setting {
  readonly print: (value: unknown) => string;
  readonly parse: (text: string) => unknown;
  /** An example of a valid text, if no range describes the valid values. */
  readonly example?: string;
}

export function TextSetting({ path, title, description, print, parse, example }: TextSettingProps) {
  const { value, range, set } = useSetting(path);
  if (!range) return null;
  const commit = (text: string) => {
    const problem = set(parse(text));
    return problem && example ? `The value must be a text, for example ${example}.` : problem;
  };
  return <LineField label={title} text={print(value)} commit={commit} title={description} />;
}

interface ListSettingProps extends Setting {
  /** The field's text if the list is absent; '' if it cannot be absent. */
  readonly absent: string;
  /** An example of a valid list. */
  readonly example: string;
}

/** A list with commas: "40, 24", "LinearLR(totalIters:5), StepLR(stepSize:10)". */
export function ListSetting({ path, title, description, absent, example }: ListSettingProps) {
  const { value, range, set, setText } = useSetting(path);
  if (!range) return null;
  const text = Array.isArray(value) ? value.map(printValue).join(', ') : absent;
  const parse = (list: string) => parseValue(`!(${list.replaceAll(' ', '')})`);
  const commit = (list: string) =>
    (list === absent ? set(undefined) : setText(list, parse)) && `The value must be a list, for example ${example}.`;
  return <LineField label={title} text={text} commit={commit} title={description} />;
}

interface ChoiceSettingProps extends Setting {
  /** Words for the options; an option without words is not offered. */
  readonly words: Readonly<Record<string, string>>;
}

export function ChoiceSetting({ path, title, description, words }: ChoiceSettingProps) {
  const { value, range, set } = useSetting(path);
  if (range?.kind !== 'choice') return null;
  return <Choice label={title} title={description} words={words} value={String(value)} onChange={set} />;
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

export function FlagSetting({ path, title, description }: Setting) {
  const { value, range, set } = useSetting(path);
  const id = useId();
  if (range?.kind !== 'boolean') return null;
  return (
    <div className={styles['row']} title={description}>
      <label htmlFor={id}>{title}</label>
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

/** A number field or a tick box, depending on the schema; nothing if the Config has no such setting. */
export function SettingOfAnyKind(props: Setting) {
  return (
    <>
      <NumberSetting {...props} />
      <FlagSetting {...props} />
    </>
  );
}
