/**
 * A trace's facts outside its events: its writer, its rank and host, and the origin of its times. Reads the fields of
 * Kineto (libkineto/src/output_json.cpp) and of Lockstep's own traces.
 */
import { lookup } from '../../base/lookup';
import type { SourceKind } from '../imported';
import type { RecordingRank } from '../recording';
import { ranksOf } from './collective-facts';

export interface FileGroup {
  readonly group: string;
  readonly description: string;
  readonly ranks: readonly RecordingRank[] | undefined;
}

export interface FileFacts {
  readonly kind: Exclude<SourceKind, 'flight-recorder' | 'collectives-table'>;
  readonly clock: 'measured' | 'modelled';
  readonly rank: RecordingRank | undefined;
  readonly worldSize: number | undefined;
  readonly backend: string | undefined;
  readonly host: string;
  readonly device: string | undefined;
  readonly groups: readonly FileGroup[];
  /** The origin of times in nanoseconds since 1970; 0 if the file has none. */
  readonly baseNs: bigint;
}

/** `fields`: the values of the outermost object's keys, as text. */
export function fileFacts(fields: ReadonlyMap<string, string>): FileFacts {
  const parsed = (key: string): unknown => {
    try {
      return JSON.parse(fields.get(key) ?? 'null') as unknown;
    } catch {
      return undefined;
    }
  };
  const info = record(parsed('distributedInfo'));
  const other = record(parsed('otherData'));
  const isKineto = ['schemaVersion', 'deviceProperties', 'baseTimeNanoseconds', 'distributedInfo', 'traceName'].some(
    (key) => fields.has(key),
  );
  const isLockstep = lookup(other, 'producer') === 'Lockstep';
  const base = fields.get('baseTimeNanoseconds') ?? '';
  const devices = parsed('deviceProperties');
  return {
    kind: isLockstep ? 'lockstep' : isKineto ? 'kineto' : 'chrome-trace',
    clock: lookup(other, 'clock') === 'modelled' ? 'modelled' : 'measured',
    rank: whole(lookup(info, 'rank')),
    worldSize: whole(lookup(info, 'world_size')),
    backend: text(lookup(info, 'backend')) || undefined,
    host: text(parsed('host_name')),
    device: Array.isArray(devices) ? text(lookup(record(devices[0]), 'name')) || undefined : undefined,
    groups: groupsOf(lookup(info, 'pg_config')),
    // A bigint, because a double would round to 256 ns.
    baseNs: /^\d{1,30}$/.test(base) ? BigInt(base) : 0n,
  };
}

function groupsOf(list: unknown): readonly FileGroup[] {
  if (!Array.isArray(list)) return [];
  return list.map(record).map((group) => ({
    group: text(lookup(group, 'pg_name')),
    description: text(lookup(group, 'pg_desc')),
    ranks: ranksOf(lookup(group, 'ranks'), whole(lookup(group, 'pg_size'))),
  }));
}

/** The longest name of a host, group or device, which people read. */
const MOST_TEXT = 200;

type Fields = Readonly<Record<string, unknown>>;
const record = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MOST_TEXT) : '');
const whole = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** "rank3.json", "trace-rank_12.json.gz", "worker0.pt.trace.json", "flight-recorder-rank2"; "nccl_trace_rank_5". */
export function rankInName(file: string): RecordingRank | undefined {
  const name = file.replace(/^.*[\\/]/, '');
  const found = /(?:rank|worker)[-_. ]?(\d{1,6})(?!\d)/i.exec(name) ?? /(?:^|[-_.])r(\d{1,6})(?=[-_.]|$)/i.exec(name);
  return found?.[1] === undefined ? undefined : Number(found[1]);
}
