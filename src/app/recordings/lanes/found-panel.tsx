/**
 * All details of the selection on a recorded timeline: for a collective, when each rank joined and how long it waited;
 * for a span, its shapes; for an idle stretch, its reason.
 */
import type { RecordedCollective } from '../../../recordings/recording';
import { formatTime } from '../../draw/format';
import { ColumnHeads } from '../../fields/column-heads';
import { lastJoin } from './collective-scene';
import { rankOfFound } from './found-words';
import type { RecordedModel } from './recorded-model';
import type { FoundAt, SpanAt } from './recorded-scene-types';
import styles from './recorded-timeline.module.css';
import { tipOf } from './recorded-words';

interface FoundPanelProps {
  readonly model: RecordedModel;
  readonly found: FoundAt;
  readonly onClose: () => void;
  readonly onGo: (at: SpanAt) => void;
}

export function FoundPanel({ model, found, onClose, onGo }: FoundPanelProps) {
  const { recording, analysis } = model;
  const { title, facts, note } = tipOf(recording, analysis, found);
  const collective = found.kind === 'span' ? recording.collectives[found.at.collective] : undefined;
  return (
    <aside className={styles['found']} aria-label="Selected">
      <h3>
        {title} <span>on rank {rankOfFound(recording, found)}</span>
      </h3>
      <button type="button" className={styles['close']} aria-label="Select nothing" onClick={onClose}>
        ✕
      </button>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {note && <p>{note}</p>}
      {collective && collective.parts.length > 1 && <Parts model={model} collective={collective} onGo={onGo} />}
    </aside>
  );
}

interface PartsProps {
  readonly model: RecordedModel;
  readonly collective: RecordedCollective;
  readonly onGo: (at: SpanAt) => void;
}

function Parts({ model, collective, onGo }: PartsProps) {
  const figures = model.analysis.collectives[collective.id];
  const first = Math.min(...collective.parts.map(({ startUs }) => startUs));
  return (
    <table>
      <ColumnHeads names={['Rank', 'Joined', 'Waited for the last', 'Done']} />
      <tbody>
        {collective.parts.map((part, i) => {
          const rank = model.recording.ranks.findIndex((one) => one.rank === part.rank);
          const last = lastJoin(collective)?.rank === part.rank;
          return (
            <tr key={part.rank} data-last={last || undefined}>
              <th scope="row">
                <button
                  type="button"
                  onClick={() => onGo({ rank, lane: part.lane, span: part.span, collective: collective.id })}
                >
                  rank {part.rank}
                </button>
              </th>
              <td>{part.startUs === first ? 'first' : `after ${formatTime(part.startUs - first)}`}</td>
              <td>{last ? 'was the last' : formatTime(figures?.waitedUs[i] ?? 0)}</td>
              <td>after {formatTime(part.endUs - first)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
