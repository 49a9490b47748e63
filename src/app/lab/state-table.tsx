/**
 * The figure as a table: the content of every rank's chunks at this moment, and the messages of the round. Rendered
 * while open.
 */
import { useState } from 'react';
import { at } from '../../base/invariant';
import type { LabResult } from '../../protocol/lab';
import { formatValue } from '../draw/canvas-numbers';
import { formatSize, formatTime } from '../draw/format';
import { ColumnHeads } from '../fields/column-heads';
import styles from './lab.module.css';
import { APPLY_WORDS } from './lab-words';

interface StateTableProps {
  readonly result: LabResult;
  readonly position: number;
}

const VALUES = 8;

export const ranksIn = (mask: number): string => {
  const ranks = Array.from({ length: 16 }, (_, rank) => rank).filter((rank) => mask & (1 << rank));
  return ranks.length === 0 ? 'nothing yet' : ranks.join(', ');
};

export function StateTable(props: StateTableProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className={styles['twin']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {open && <Tables {...props} />}
    </details>
  );
}

function Tables({ result, position }: StateTableProps) {
  const round = result.rounds[position - 1];
  const state = round?.state ?? result.initial;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={styles['tables']} tabIndex={0} aria-label="The round as a table">
      {round && (
        <table>
          <caption>Messages of round {position}</caption>
          <ColumnHeads
            names={['From', 'To', 'Elements', 'Bytes', 'The receiver', 'Begins, modelled', 'Arrives, modelled']}
          />
          <tbody>
            {round.transfers.map((t) => (
              <tr key={`${t.from} ${t.to} ${t.target.buffer} ${t.target.offset}`}>
                <td>rank {t.from}</td>
                <td>rank {t.to}</td>
                <td>
                  {t.source.buffer} {t.source.offset}–{t.source.offset + t.source.length - 1}
                </td>
                <td>{formatSize(t.bytes)}</td>
                <td>{APPLY_WORDS[t.apply]}</td>
                <td>{formatTime(t.startUs)}</td>
                <td>{formatTime(t.endUs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <table>
        <caption>{round ? `Buffers after round ${position}` : 'Buffers at the start'}</caption>
        <ColumnHeads names={['Rank', 'Buffer', 'Elements', 'First values', 'Values of ranks']} />
        <tbody>
          {[...result.nodeOf.keys()].flatMap((rank) =>
            result.buffers.flatMap((buffer, b) =>
              buffer.chunks.map((chunk, c) => {
                const tile = at(at(at(state, b), rank), c);
                return (
                  <tr key={`${rank} ${buffer.name} ${chunk.offset}`}>
                    <td>{rank}</td>
                    <td>{buffer.name}</td>
                    <td>
                      {chunk.offset}–{chunk.offset + chunk.length - 1}
                    </td>
                    <td>{tile.contributors === 0 ? '–' : tile.values.slice(0, VALUES).map(formatValue).join(' ')}</td>
                    <td>{ranksIn(tile.contributors)}</td>
                  </tr>
                );
              }),
            ),
          )}
        </tbody>
      </table>
    </section>
  );
}
