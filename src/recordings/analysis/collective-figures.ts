/**
 * For each collective: the last rank to arrive, the time of the transfer and its bandwidth, as nccl-tests defines it.
 */
import { lookup } from '../../base/lookup';
import { BUS_FACTOR } from '../../protocol/bus-factor';
import type { CollectiveKind, RecordedCollective } from '../recording';
import type { CollectiveFigures, CollectiveSummary } from '../recording-analysis';
import { median } from '../traces/align-clocks';

/** Lockstep's tables write all_reduce as allReduce. */
const camel = (kind: CollectiveKind): string => kind.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** nccl-tests' factor from algorithm to bus bandwidth; undefined for other collectives. */
export function busFactor(kind: CollectiveKind, ranks: number): number | undefined {
  const name = kind === 'send' || kind === 'recv' ? 'sendRecv' : camel(kind);
  return lookup(BUS_FACTOR, name)?.(ranks);
}

export function collectiveFigures(collective: RecordedCollective): CollectiveFigures {
  const { id, kind, bytes, parts, groupRanks } = collective;
  const byStart = [...parts].sort((a, b) => b.startUs - a.startUs);
  const [latest, before] = byStart;
  const lastUs = latest?.startUs ?? 0;
  const endUs = parts.reduce((most, part) => Math.max(most, part.endUs), 0);
  const transferUs = Math.max(0, endUs - lastUs);
  // If only some ranks were recorded, the last rank's arrival is unknown.
  const isWhole = parts.length > 1 && parts.length >= groupRanks.length;
  const gigabytes = isWhole && bytes > 0 && transferUs > 0 ? bytes / transferUs / 1000 : undefined;
  const factor = busFactor(kind, groupRanks.length);
  return {
    id,
    last: latest && before ? { rank: latest.rank, byUs: latest.startUs - before.startUs } : undefined,
    transferUs,
    waitedUs: parts.map((part) => Math.max(0, Math.min(lastUs, part.endUs) - part.startUs)),
    algorithmBandwidth: gigabytes,
    busBandwidth: gigabytes === undefined || factor === undefined ? undefined : gigabytes * factor,
  };
}

/** Largest sum of bytes first. */
export function summaries(
  collectives: readonly RecordedCollective[],
  figures: readonly CollectiveFigures[],
): readonly CollectiveSummary[] {
  const groups = new Map<string, number[]>();
  collectives.forEach(({ kind, group, groupRanks, dtype, bytes }, index) => {
    const key = [kind, group, groupRanks.length, dtype, bytes].join('\n');
    const found = groups.get(key);
    if (found) found.push(index);
    else groups.set(key, [index]);
  });
  const rows = [...groups.values()].flatMap((members): CollectiveSummary[] => {
    const [first] = members.map((index) => collectives[index]);
    const own = members.map((index) => figures[index]).filter((figure) => figure !== undefined);
    if (!first) return [];
    const { kind, group, groupRanks, dtype, bytes } = first;
    const medianOf = (of: (figure: CollectiveFigures) => number | undefined): number | undefined => {
      const values = own.map(of).filter((value) => value !== undefined);
      return values.length === 0 ? undefined : median(values);
    };
    return [
      {
        kind,
        group,
        ranks: groupRanks.length,
        dtype,
        bytes,
        count: members.length,
        transferUs: medianOf(({ transferUs }) => transferUs) ?? 0,
        waitedUs: median(own.flatMap(({ waitedUs }) => waitedUs)),
        algorithmBandwidth: medianOf(({ algorithmBandwidth }) => algorithmBandwidth),
        busBandwidth: medianOf(({ busBandwidth }) => busBandwidth),
      },
    ];
  });
  return rows.sort((a, b) => b.bytes * b.count - a.bytes * a.count);
}
