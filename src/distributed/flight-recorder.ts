/**
 * PyTorch's flight recorder of one rank: the last calls with their states and PyTorch's field names, so that fr_trace
 * can read the dump.
 */

import type { FlightRecorderDump } from '../protocol/process-group';
import { DTYPE_NAME } from '../tensor/dtype-name';
import type { DType, Shape } from '../tensor/shape';
import type { CallSite } from './call-site';
import { type FlightDraft, flightDumpOf, type RecordedGroup, scheduledRecord } from './flight-record';

/** TORCH_NCCL_TRACE_BUFFER_SIZE of PyTorch's documentation. */
const KEPT = 2000;

interface TensorType {
  readonly shape: Shape;
  readonly dtype: DType;
}

export interface Issued {
  readonly group: { readonly id: number; readonly name: string; readonly description: string };
  /** 'gloo:all_reduce'. */
  readonly profilingName: string;
  readonly collectiveSeq: number;
  readonly p2pSeq: number;
  readonly isP2p: boolean;
  readonly inputs: readonly TensorType[];
  readonly outputs: readonly TensorType[];
  readonly timeoutMs: number;
  readonly site: CallSite | undefined;
}

const nowNs = (): number => Math.round((performance.timeOrigin + performance.now()) * 1e6);

export class FlightRecorder {
  private readonly records: FlightDraft[] = [];
  private readonly groups = new Map<number, RecordedGroup>();
  private nextId = 0;

  addGroup(id: number, description: string, ranks: readonly number[]): void {
    this.groups.set(id, { description, ranks, enqueued: -1, started: -1, completed: -1 });
  }

  issued(call: Issued): { started(): void; completed(): void; retired(): void } {
    const { site, inputs, outputs, ...rest } = call;
    const named = ({ shape, dtype }: TensorType) => ({ shape, dtype: DTYPE_NAME[dtype] });
    const id = this.nextId++;
    const record = scheduledRecord({
      ...rest,
      recordId: id,
      opId: id,
      createdNs: nowNs(),
      inputs: inputs.map(named),
      outputs: outputs.map(named),
      frames: site ? [{ name: site.name, filename: site.filename, line: site.line }] : [],
    });
    this.records.push(record);
    if (this.records.length > KEPT) this.records.shift();
    const status = this.groups.get(call.group.id);
    const { collectiveSeq, isP2p } = call;
    if (status && !isP2p) status.enqueued = collectiveSeq;
    return {
      started() {
        record.state = 'started';
        record.time_discovered_started_ns = nowNs();
        if (status && !isP2p) status.started = collectiveSeq;
      },
      completed() {
        record.state = 'completed';
        record.time_discovered_completed_ns = nowNs();
        record.duration_ms =
          (record.time_discovered_completed_ns - (record.time_discovered_started_ns ?? record.time_created_ns)) / 1e6;
        record.retired = true;
        if (status && !isP2p) status.completed = collectiveSeq;
      },
      /** The call failed and is no longer awaited. */
      retired() {
        record.retired = true;
      },
    };
  }

  dump(rank: number): FlightRecorderDump {
    return structuredClone(flightDumpOf(rank, this.groups, this.records));
  }
}
