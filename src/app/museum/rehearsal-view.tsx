/**
 * An exhibit that is a script: runs it on every rank on request, and shows line by line what each rank did and raised.
 */
import { useEffect, useState } from 'react';
import type { ExhibitId } from '../../museum/mistakes';
import type { Rehearsal, RehearsalLine } from '../../protocol/rehearsal';
import { ColumnHeads } from '../fields/column-heads';
import { ScrollRegion } from '../fields/scroll-region';
import { useController } from '../run/use-controller';
import styles from './museum.module.css';

const WORDS: Readonly<Record<RehearsalLine['kind'], string>> = { calls: 'calls', has: 'has', raises: 'raises' };

export function RehearsalView({ id, cured }: { id: ExhibitId; cured: boolean }) {
  const { askApart } = useController();
  const [shown, show] = useState<Rehearsal | string>();
  useEffect(() => {
    let current = true;
    show(undefined);
    const take = (result: Rehearsal | string) => {
      if (current) show(result);
    };
    askApart((session) => session.rehearse(id, cured)).then(take, (error: unknown) =>
      take(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      current = false;
    };
  }, [askApart, id, cured]);
  if (shown === undefined) return <p role="status">The ranks run …</p>;
  if (typeof shown === 'string') return <p role="alert">{shown}</p>;
  return (
    <ScrollRegion label="What the ranks did, line by line" className={styles['rehearsal']}>
      <table aria-label="What the ranks did">
        <ColumnHeads names={['rank', '', 'in the order in which it happened']} />
        <tbody>
          {shown.lines.map(({ rank, kind, text }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of one run neither move nor go.
            <tr key={i} data-kind={kind}>
              <td data-rank={rank % 8}>{rank}</td>
              <td>{WORDS[kind]}</td>
              <td>{kind === 'has' ? text : <code>{text}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
