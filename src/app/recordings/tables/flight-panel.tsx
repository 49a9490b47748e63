/**
 * The flight recorder's content: for each process group how far every rank got, where ranks disagree, and the last
 * collectives side by side, which show where the ranks diverge.
 */
import type { FlightEntry, FlightRecording } from '../../../recordings/flight/flight-recording';
import type { FlightAnalysis, FlightGroup } from '../../../recordings/recording-analysis';
import { capital } from '../../../trace/capital';
import { ColumnHeads } from '../../fields/column-heads';
import { ScrollRegion } from '../../fields/scroll-region';
import { inWords } from '../lanes/recorded-words';
import styles from './tables.module.css';

interface FlightPanelProps {
  readonly flight: FlightAnalysis;
  readonly recorded: FlightRecording;
}

export function FlightPanel({ flight, recorded }: FlightPanelProps) {
  return flight.groups.map((group) => <Group key={group.group} group={group} recorded={recorded} />);
}

const number = (sequence: number | undefined): string => (sequence === undefined ? 'none' : String(sequence));

interface GroupProps {
  readonly group: FlightGroup;
  readonly recorded: FlightRecording;
}

function Group({ group: { group, description, last, mismatches, ranks }, recorded }: GroupProps) {
  return (
    <section className={styles['group']} aria-label={`Process group ${group}`}>
      <h3>
        Process group {group}
        {description !== '' && `, ${description}`}
      </h3>
      {mismatches.length > 0 && (
        <ul className={styles['mismatches']} aria-label={`Where the ranks of group ${group} disagree`}>
          {mismatches.map(({ sequence, what, text }) => (
            <li key={`${sequence} ${what} ${text}`}>{capital(text)}</li>
          ))}
        </ul>
      )}
      <div className={styles['pair']}>
        <ScrollRegion label={`How far the ranks of group ${group} got`} className={styles['scroll']}>
          <table>
            <caption>The last collective of each rank, by its sequence number</caption>
            <ColumnHeads names={['Rank', 'Scheduled', 'Started', 'Completed']} />
            <tbody>
              {last.map(({ rank, scheduled, started, completed }) => (
                <tr key={rank}>
                  <th scope="row">rank {rank}</th>
                  <td>{number(scheduled)}</td>
                  <td>{number(started)}</td>
                  <td>{number(completed)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
        <SideBySide group={group} ranks={ranks} recorded={recorded} bad={new Set(mismatches.map((m) => m.sequence))} />
      </div>
    </section>
  );
}

const LAST = 14;

interface SideBySideProps {
  readonly group: string;
  readonly ranks: readonly number[];
  readonly recorded: FlightRecording;
  /** The sequence numbers at which ranks disagree. */
  readonly bad: ReadonlySet<number>;
}

function SideBySide({ group, ranks, recorded, bad }: SideBySideProps) {
  const columns = ranks.map((rank) => {
    const entries = recorded.ranks.find((one) => one.rank === rank)?.entries ?? [];
    return new Map(entries.filter((e) => e.group === group && !e.isP2p).map((e) => [e.collectiveSeqId, e]));
  });
  const numbers = [...new Set(columns.flatMap((column) => [...column.keys()]))].sort((a, b) => a - b).slice(-LAST);
  if (numbers.length === 0) return null;
  return (
    <ScrollRegion label={`Last collectives of group ${group}`} className={styles['scroll']}>
      <table data-words>
        <caption>The last collectives, rank beside rank</caption>
        <ColumnHeads names={['Number', ...ranks.map((rank) => `rank ${rank}`)]} />
        <tbody>
          {numbers.map((sequence) => (
            <tr key={sequence} data-bad={bad.has(sequence) || undefined}>
              <th scope="row">{sequence}</th>
              {columns.map((column, i) => (
                <td key={ranks[i]} className={styles['entry']}>
                  <Entry entry={column.get(sequence)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Entry({ entry }: { readonly entry: FlightEntry | undefined }) {
  if (!entry) return <b>not called</b>;
  const { kind, inputSizes, inputDtypes, frames } = entry;
  const size = inputSizes
    .map((one, i) => `[${one.join(', ')}] ${(inputDtypes[i] ?? '').toLowerCase()}`.trim())
    .join(', ');
  return (
    <span title={frames[0]}>
      {inWords(kind)} {size} <i>{stateWords(entry)}</i>
    </span>
  );
}

/** A retired entry is done, even if gloo left it in another state. */
const stateWords = ({ state, retired }: FlightEntry): string => (retired || state === 'completed' ? 'done' : state);
