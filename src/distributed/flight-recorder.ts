/**
 * PyTorch's flight recorder of one rank: the last calls with what became of them, in its field names, so that fr_trace
 * and people can read the dump.
 */
import type { FlightRecord, FlightRecorderDump } from '../protocol/process-group';
import { DTYPE_NAME } from '../tensor/dtype-name';
import type { DType, Shape } from '../tensor/shape';
import type { CallSite } from './call-site';

/** TORCH_NCCL_TRACE_BUFFER_SIZE of PyTorch's documentation. */
const KEPT = 2000;

export interface Issued {
  readonly group: { readonly id: number; readonly name: string; readonly description: string };
  /** 'gloo:all_reduce'. */
  readonly profilingName: string;
  readonly collectiveSeq: number;
  readonly p2pSeq: number;
  readonly isP2p: boolean;
  readonly inputs: readonly { readonly shape: Shape; readonly dtype: DType }[];
  readonly outputs: readonly { readonly shape: Shape; readonly dtype: DType }[];
  readonly timeoutMs: number;
  readonly site: CallSite | undefined;
}

type Draft = { -readonly [K in keyof FlightRecord]: FlightRecord[K] };

const nowNs = (): number => Math.round((performance.timeOrigin + performance.now()) * 1e6);

export class FlightRecorder {
  private readonly records: Draft[] = [];
  private readonly groups = new Map<string, { name: string; desc: string; ranks: string }>();
  private readonly status = new Map<
    string,
    { last_enqueued_collective: number; last_started_collective: number; last_completed_collective: number }
  >();
  private nextId = 0;

  addGroup(id: number, description: string, ranks: readonly number[]): void {
    this.groups.set(String(id), { name: String(id), desc: description, ranks: `[${ranks.join(', ')}]` });
    this.status.set(String(id), {
      last_enqueued_collective: -1,
      last_started_collective: -1,
      last_completed_collective: -1,
    });
  }

  issued(call: Issued): { started(): void; completed(): void; retired(): void } {
    const record: Draft = {
      record_id: this.nextId,
      pg_id: call.group.id,
      process_group: [call.group.name, call.group.description],
      collective_seq_id: call.collectiveSeq,
      p2p_seq_id: call.p2pSeq,
      op_id: this.nextId++,
      profiling_name: call.profilingName,
      time_created_ns: nowNs(),
      time_discovered_started_ns: null,
      time_discovered_completed_ns: null,
      duration_ms: null,
      input_sizes: call.inputs.map(({ shape }) => shape),
      input_dtypes: call.inputs.map(({ dtype }) => DTYPE_NAME[dtype]),
      output_sizes: call.outputs.map(({ shape }) => shape),
      output_dtypes: call.outputs.map(({ dtype }) => DTYPE_NAME[dtype]),
      state: 'scheduled',
      timeout_ms: Math.round(call.timeoutMs),
      is_p2p: call.isP2p,
      retired: false,
      frames: call.site ? [{ name: call.site.name, filename: call.site.filename, line: call.site.line }] : [],
    };
    this.records.push(record);
    if (this.records.length > KEPT) this.records.shift();
    const status = this.status.get(String(call.group.id));
    const { collectiveSeq, isP2p } = call;
    if (status && !isP2p) status.last_enqueued_collective = collectiveSeq;
    return {
      started() {
        record.state = 'started';
        record.time_discovered_started_ns = nowNs();
        if (status && !isP2p) status.last_started_collective = collectiveSeq;
      },
      completed() {
        record.state = 'completed';
        record.time_discovered_completed_ns = nowNs();
        record.duration_ms =
          (record.time_discovered_completed_ns - (record.time_discovered_started_ns ?? record.time_created_ns)) / 1e6;
        record.retired = true;
        if (status && !isP2p) status.last_completed_collective = collectiveSeq;
      },
      /** It failed: nobody waits for it any more. */
      retired() {
        record.retired = true;
      },
    };
  }

  dump(rank: number): FlightRecorderDump {
    return structuredClone({
      version: '2.4',
      rank,
      pg_config: Object.fromEntries(this.groups),
      pg_status: Object.fromEntries(this.status),
      entries: this.records,
    });
  }
}
