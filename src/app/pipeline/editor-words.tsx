/** The words below the draft: what is missing, which known schedule it equals, and why a gap exists. */
import type { ScheduleName } from '../../protocol/pipeline';
import type { Complaint } from '../../schedules/complaint';
import { capital } from '../../trace/capital';
import styles from './pipeline.module.css';

interface EditorWordsProps {
  readonly complaints: readonly Complaint[];
  readonly known: ScheduleName | undefined;
  readonly refusal: string;
  readonly why: string | undefined;
}

const MOST_SAID = 2;

export function complaintWords(complaints: readonly Complaint[]): string {
  const said = complaints.slice(0, MOST_SAID).map(({ message }) => `${capital(message)}.`);
  const left = complaints.length - said.length;
  // The last line of a long list says how many are not listed.
  const more =
    complaints.at(-1)?.kind === 'more'
      ? 'And many more problems.'
      : `And ${left} more ${left === 1 ? 'problem' : 'problems'}.`;
  return [...said, ...(left > 0 ? [more] : [])].join(' ');
}

export function EditorWords({ complaints, known, refusal, why }: EditorWordsProps) {
  const state =
    complaints.length > 0
      ? complaintWords(complaints)
      : known === undefined
        ? 'This schedule can run. It is not one of torch’s.'
        : `This schedule can run. It is ${known}.`;
  return (
    <div className={styles['words']}>
      <p role="status" aria-label="Your schedule" data-bad={complaints.length > 0 || undefined}>
        {refusal === '' ? '' : `${refusal} `}
        {state}
      </p>
      {why !== undefined && (
        <p role="status" aria-label="Selected in the schedule">
          {why}
        </p>
      )}
    </div>
  );
}
