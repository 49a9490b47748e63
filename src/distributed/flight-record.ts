/**
 * The one writer of PyTorch's flight recorder format: an entry for a call, and the dump of a rank with its process
 * groups. FlightRecorder writes calls as they happen; training/failures/flight-dump writes the calls of Programs
 * afterwards.
 */
import type { FlightRecord, FlightRecorderDump } from '../protocol/process-group';
import type { Rank } from '../protocol/trace';
import type { Shape } from '../tensor/shape';

interface RecordedTensor {
  readonly shape: Shape;
  /** torch's printed name: 'Float'. */
  readonly dtype: string;
}

export interface RecordedCall {
  readonly recordId: number;
  readonly opId: number;
  readonly group: { readonly id: number; readonly name: string; readonly description: string };
  /** 'gloo:all_reduce'. */
  readonly profilingName: string;
  readonly collectiveSeq: number;
  readonly p2pSeq: number;
  readonly isP2p: boolean;
  readonly createdNs: number;
  readonly inputs: readonly RecordedTensor[];
  readonly outputs: readonly RecordedTensor[];
  readonly timeoutMs: number;
  readonly frames: FlightRecord['frames'];
}

/** An entry that is filled in while the call runs. */
export type FlightDraft = { -readonly [K in keyof FlightRecord]: FlightRecord[K] };

/** A call that has been issued and has not begun. */
export const scheduledRecord = (call: RecordedCall): FlightDraft => ({
  record_id: call.recordId,
  pg_id: call.group.id,
  process_group: [call.group.name, call.group.description],
  collective_seq_id: call.collectiveSeq,
  p2p_seq_id: call.p2pSeq,
  op_id: call.opId,
  profiling_name: call.profilingName,
  time_created_ns: call.createdNs,
  time_discovered_started_ns: null,
  time_discovered_completed_ns: null,
  duration_ms: null,
  input_sizes: call.inputs.map(({ shape }) => shape),
  input_dtypes: call.inputs.map(({ dtype }) => dtype),
  output_sizes: call.outputs.map(({ shape }) => shape),
  output_dtypes: call.outputs.map(({ dtype }) => dtype),
  state: 'scheduled',
  timeout_ms: Math.round(call.timeoutMs),
  is_p2p: call.isP2p,
  retired: false,
  frames: call.frames,
});

/** A recorded process group: the progress of its sequence of collectives; -1: not begun. */
export interface RecordedGroup {
  readonly description: string;
  readonly ranks: readonly Rank[];
  enqueued: number;
  started: number;
  completed: number;
}

export const flightDumpOf = (
  rank: Rank,
  groups: ReadonlyMap<number, RecordedGroup>,
  entries: readonly FlightRecord[],
): FlightRecorderDump => ({
  version: '2.4',
  rank,
  pg_config: Object.fromEntries(
    [...groups].map(([id, { description, ranks }]) => [
      String(id),
      { name: String(id), desc: description, ranks: `[${ranks.join(', ')}]` },
    ]),
  ),
  pg_status: Object.fromEntries(
    [...groups].map(([id, { enqueued, started, completed }]) => [
      String(id),
      {
        last_enqueued_collective: enqueued,
        last_started_collective: started,
        last_completed_collective: completed,
      },
    ]),
  ),
  entries,
});
