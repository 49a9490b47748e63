/**
 * The chunks of an exchange on one device at the cursor: the buffer's values, the ranks whose values each chunk holds,
 * which chunk is sent, which receives what, and each chunk's tooltip. Pure.
 */
import { CAPTURE_LIMIT, type Slice } from '../../protocol/trace';
import { bufferWords } from '../../trace/buffer-words';
import { capital } from '../../trace/capital';
import { formatSize } from '../draw/format';
import type { HeatCells } from '../draw/heat-map';
import { powerOfTen, unitOf } from '../draw/value-scale';
import { parametersIn } from './bucket-places';
import type { ChunkLayout } from './chunk-places';
import { titleOf } from './devices';
import { type ChunkArrival, countRanks, type Exchange, lastRank, NO_RANKS, onlyRank, type RankSet } from './exchanges';
import { endOf } from './matrix-scene';
import { elementBytes } from './product-spec';
import type { ChunkContent } from './room-content';
import type { RoomInput } from './room-input';
import type { ChunkScene, ChunksScene, SceneItem } from './scene-types';

/** The whole chunk in lines of eight, for the tooltip. */
const readable = (count: number) => ({
  stride: Math.min(count, 8),
  columns: Math.min(count, 8),
  rows: Math.ceil(count / 8),
});

/** Whether the exchange adds values: parameters and activations are copied. */
const adds = ({ payload, op }: Exchange): boolean => payload === 'gradient' || /reduce/i.test(op);

function holding(exchange: Exchange, ranks: RankSet, device: number): readonly string[] {
  const count = countRanks(ranks);
  if (count === 0) return ['empty'];
  if (!adds(exchange)) {
    const owner = lastRank(ranks);
    return count > 1 || owner === device ? ['its own values', 'own'] : [`values of ${owner}`, `of ${owner}`];
  }
  if (count === 1)
    return exchange.payload === 'gradient'
      ? ['its own gradients', 'own gradients', 'own']
      : ['its own values', 'own values', 'own'];
  if (count < exchange.members)
    return [`sum of ${count} of ${exchange.members}`, `Σ ${count} of ${exchange.members}`, `Σ ${count}`];
  // The gradients were divided before they were packed.
  return exchange.bucket
    ? [`mean of all ${count}`, `mean of ${count}`, 'mean']
    : [`sum of all ${count}`, `Σ of ${count}`];
}

const CARRIES: Readonly<Record<Exchange['payload'], string>> = {
  data: 'batch',
  activation: 'activations',
  gradient: 'gradients',
  parameter: 'parameters',
};

function partOf(exchange: Exchange, ranks: RankSet): number {
  if (ranks === NO_RANKS) return 0;
  return adds(exchange) ? countRanks(ranks) / exchange.members : 1;
}

function nameOf({ bucket, payload }: Exchange, slice: Slice, index: number, count: number): readonly string[] {
  const flat = bucket?.buffers.length === 1;
  const name = flat ? `chunk ${index}` : bufferWords(slice.buffer);
  if (count > 1) return [name, ...(flat ? [] : [CARRIES[payload]]), `${index}`];
  const own = bufferWords(slice.buffer);
  const last = own.slice(own.lastIndexOf('.') + 1);
  return [own, last, /^(running|num)_/.test(last) ? 'statistics' : CARRIES[payload]];
}

function doing(sends: boolean, arrival: ChunkArrival | undefined): readonly string[] {
  if (arrival && !arrival.there) return ['receives'];
  if (sends) return ['sends'];
  return [];
}

/** 'sends the sum of 2 of 4', 'now the sum of 3 of 4'. */
function meaning(holds: readonly string[], sends: boolean, arrival: ChunkArrival | undefined): readonly string[] {
  const the = (text: string) => (/^(sum|mean)/.test(text) ? `the ${text}` : text);
  const [long = '', ...short] = holds;
  if (arrival?.there) return [`now ${the(long)}`, long, ...short];
  const verbs = doing(sends, arrival);
  return verbs.length > 0 ? [...(sends && !arrival ? [`sends ${the(long)}`] : []), ...verbs] : holds;
}

/** Whether the slice has values before the exchange: parameters do, also before DDP's constructor sends rank 0's. */
function before({ facts, place }: RoomInput, { payload }: Exchange, slice: Slice): boolean {
  return payload === 'parameter' && place.keeps && facts.content(place.device, slice.buffer) !== undefined;
}

function cellsOf(
  { facts, place }: RoomInput,
  slice: Slice,
  end: number,
  at: ChunkLayout | undefined,
): HeatCells | undefined {
  const content = facts.content(place.device, slice.buffer);
  const captured =
    (content?.values.length ?? 0) <= CAPTURE_LIMIT && slice.offset + slice.length <= (content?.values.length ?? 0);
  const known = captured ? slice.length : facts.known(place.device, slice);
  if (!content || known === 0) return undefined;
  const columns = at?.columns ?? Math.min(known, 8);
  const count = Math.min(known, at?.count ?? known);
  return {
    values: content.values,
    offset: slice.offset,
    stride: columns,
    rows: at?.rows ?? Math.ceil(known / 8),
    columns,
    count,
    end,
  };
}

interface Made {
  readonly chunk: ChunkScene;
  readonly item: SceneItem;
}

function chunk(input: RoomInput, exchange: Exchange, slice: Slice, index: number, at: ChunkLayout): Made {
  const { facts, place } = input;
  const { device } = place;
  const rows = exchange.rows[device] ?? [];
  const end = endOf(input, slice.buffer);
  const unit = unitOf(end);
  const ranks = facts.contributors(device, slice) || (before(input, exchange, slice) ? onlyRank(device) : NO_RANKS);
  const sends = facts.sends(device, slice);
  const arrival = facts.arrival(device, slice);
  const cells = ranks === NO_RANKS ? undefined : cellsOf(input, slice, end, at);
  const event = facts.content(device, slice.buffer)?.event;
  const holds = holding(exchange, ranks, device);
  const name = nameOf(exchange, slice, index, rows.length);
  const bucket = exchange.bucket;
  const who = place.title;
  const awaits = arrival
    ? [`${name[0]} from ${titleOf(input.info, arrival.from)}`, `from ${titleOf(input.info, arrival.from)}`]
    : [];
  return {
    chunk: {
      at,
      map: {
        rect: at.cells,
        cells,
        ...(cells ? {} : { awaited: { rows: at.rows, columns: at.columns, count: at.count, words: awaits } }),
        fresh: false,
        under: false,
        unit: at.prints ? unit : undefined,
      },
      index,
      ranks,
      part: partOf(exchange, ranks),
      sends,
      arrival,
      name: at.count < slice.length ? [`${name[0]}, first ${at.count} of ${slice.length}`, ...name] : name,
      holds: meaning(holds, sends, arrival),
    },
    item: {
      id: `${device} ${slice.buffer}[${index}]`,
      rect: at.frame,
      device,
      event: ranks === NO_RANKS ? undefined : event,
      tip: () => ({
        title: capital(
          `${bufferWords(slice.buffer)}${bucket?.buffers.length === 1 ? `, chunk ${index}` : ''} on ${who}`,
        ),
        facts: [
          ['holds', holds[0] ?? ''],
          ...(bucket ? [['parameters', parametersIn(bucket, slice).join(', ')] as const] : []),
          ['elements', `${slice.offset} to ${slice.offset + slice.length - 1}`],
          ['size', formatSize(elementBytes(facts.step?.shapesOf(device)(slice.buffer)) * slice.length)],
          ...(sends ? [['moving', 'being sent to another device'] as const] : []),
          ...(arrival
            ? [
                [
                  'arrives',
                  `from ${titleOf(input.info, arrival.from)}, ${arrival.adds ? 'and is added' : 'and replaces the old values'}`,
                ] as const,
              ]
            : []),
          ...(at.prints ? [['printed', `in units of ${powerOfTen(unit)}`] as const] : []),
        ],
        ...(ranks !== NO_RANKS && !cells
          ? { note: 'not recorded: a trace keeps only the first values of a buffer' }
          : {}),
        ...(cells?.count ? { cells: { ...cells, ...readable(cells.count) } } : {}),
      }),
    },
  };
}

export function chunkScenes(
  input: RoomInput,
  { exchange, layout }: ChunkContent,
): { readonly scene: ChunksScene; readonly items: readonly SceneItem[] } {
  const made = (exchange.rows[input.place.device] ?? []).flatMap((slice, i) => {
    const at = layout.chunks[i];
    return at ? [chunk(input, exchange, slice, i, at)] : [];
  });
  return {
    scene: {
      kind: layout.kind,
      bucket: exchange.bucket?.index,
      ranks: exchange.rows.length,
      chunks: made.map((m) => m.chunk),
    },
    items: made.map((m) => m.item),
  };
}

/** What the device's chunks hold, in words, for the table. */
export function heldWords(
  input: RoomInput,
  exchange: Exchange | undefined,
  format: (value: number) => string,
): readonly string[] {
  const { facts, place } = input;
  return (exchange?.rows[place.device] ?? []).map((slice, i) => {
    const ranks = facts.contributors(place.device, slice);
    const content = facts.content(place.device, slice.buffer);
    if (!exchange || !content || ranks === NO_RANKS) return `${i}: empty`;
    const values = [...content.values.subarray(slice.offset, slice.offset + Math.min(3, slice.length))].map(format);
    return `${i}: ${values.join(', ')} … (sum of ${countRanks(ranks)}${facts.sends(place.device, slice) ? ', being sent' : ''})`;
  });
}
