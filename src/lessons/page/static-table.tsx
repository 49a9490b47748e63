/** The static form of views that are tables: memory by kind, DDP's buckets, numbers by device. */
import { formatBytes, formatSize, wholePercents } from '../../app/draw/format';
import { ColumnHeads } from '../../app/fields/column-heads';
import { CATEGORY_WORDS } from '../../app/memory/memory-tree';
import type { App } from '../../app/state/app-state';
import type { MemoryByKind } from '../../protocol/session-info';
import type { MemoryCategory } from '../../protocol/trace';
import { metricsOf, sharesOf } from '../../trace/metrics';
import type { View } from '../lesson';

interface Table {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function StaticTable({ view, app }: { view: View; app: App }) {
  const table = tableOf(view, app);
  if (!table) throw new Error(`A figure shows "${view}", and its run has none.`);
  return (
    <table className="figure-table">
      <caption>{table.caption}</caption>
      <ColumnHeads names={table.head} />
      <tbody>
        {table.rows.map(([first = '', ...rest]) => (
          <tr key={first}>
            <th scope="row">{first}</th>
            {rest.map((text, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column
              <td key={column}>{text}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function tableOf(view: View, app: App): Table | undefined {
  if (view === 'memory') return memoryTable(app);
  if (view === 'buckets') return bucketTable(app);
  if (view === 'devices') return deviceTable(app);
  return undefined;
}

const CATEGORIES = Object.keys(CATEGORY_WORDS) as readonly MemoryCategory[];

function memoryTable({ info }: App): Table | undefined {
  if (!info) return undefined;
  const used = CATEGORIES.filter((category) => info.memory.some(({ byCategory }) => byCategory[category] > 0));
  const row = (words: string, { byCategory, peakBytes }: MemoryByKind) => [
    words,
    ...used.map((category) => formatSize(byCategory[category])),
    formatSize(peakBytes),
  ];
  return {
    caption: 'Memory that the run reserves, by kind',
    head: ['device', ...used.map((category) => CATEGORY_WORDS[category]), 'together'],
    rows: info.memory.flatMap((own) => {
      const full = info.memoryInFloat32?.find(({ device }) => device === own.device);
      const beside = full ? [row(`cuda:${own.device} in float32`, full)] : [];
      return [row(`cuda:${own.device}`, own), ...beside];
    }),
  };
}

function bucketTable({ info }: App): Table | undefined {
  const buckets = info?.buckets?.rebuilt ?? info?.buckets?.initial;
  if (!buckets) return undefined;
  return {
    caption: 'DDP’s buckets, in the order in which they are sent',
    head: ['bucket', 'bytes', 'parameters'],
    rows: buckets.map(({ bytes, parameters }, index) => [`${index}`, formatSize(bytes), parameters.join(', ')]),
  };
}

function deviceTable({ info, cursor, traces, clock }: App): Table | undefined {
  const trace = cursor && traces[cursor.trace];
  if (!info || !trace) return undefined;
  const { use, traffic } = metricsOf(trace, clock, info);
  return {
    caption: 'The step by device',
    head: ['device', 'sent', 'received', 'computing', 'waits for communication', 'idle', 'reserved'],
    rows: use.map((of, device) => {
      const { computing, waitingForCommunication, idle } = sharesOf([of]);
      return [
        `cuda:${device}`,
        formatBytes(traffic.sent[device] ?? 0),
        formatBytes(traffic.received[device] ?? 0),
        ...wholePercents([computing, waitingForCommunication, idle]).map((percent) => `${percent} %`),
        formatSize(info.memory[device]?.peakBytes ?? 0),
      ];
    }),
  };
}
