/**
 * One step of a lane whose peers are hosted elsewhere. Its two queues, compute and comm, take turns: each runs until it
 * has to wait for the other queue, for a message, or for the rest of a rank that is slowed down. Only if both wait, the
 * step waits: first in the transport, which may block the thread for a short time, then for a promise. Part of
 * cpu-remote-run.ts.
 */
import { must } from '../../base/invariant';
import type { Compute, Lane, Load, Recv, Send, Wait } from '../../program/instruction';
import type { LanePosition } from '../../program/reach';
import type { Captured, Queue } from '../../protocol/trace';
import type { HostArray } from '../../tensor/shape';
import { nowUs } from '../clock';
import type { InstructionRecord, MessageSpace, Stop, Transport } from '../executor';
import type { Brake } from '../rest';
import { message } from './combine';
import { capture, receive } from './cpu-actions';
import type { CpuContext } from './cpu-context';
import type { CpuAction } from './program-actions';

/** An instruction with the arrays or the action that it needs, prepared once. */
export type LaneTask =
  | { readonly kind: 'local'; readonly i: Compute | Load; readonly action: CpuAction }
  | { readonly kind: 'wait'; readonly i: Wait }
  | { readonly kind: 'send'; readonly i: Send; readonly slice: HostArray; readonly bits: Int32Array }
  | { readonly kind: 'recv'; readonly i: Recv; readonly slice: HostArray; readonly space: MessageSpace };

export interface LanePlan {
  readonly lane: Lane;
  readonly queues: Readonly<Record<Queue, readonly LaneTask[]>>;
}

/** The means of every step of a lane. */
export interface LaneMeans {
  readonly wire: Transport;
  /** Set if the rank is slowed down. */
  readonly brake: Brake | undefined;
  readonly given: CpuContext['given'];
}

/** Options of a step: where its rank stops, and whether it is measured. */
interface Asked {
  readonly stop: Stop | undefined;
  readonly records: InstructionRecord[] | undefined;
}

/** The progress of a queue. */
interface Line {
  readonly queue: Queue;
  readonly tasks: readonly LaneTask[];
  /** The index of the current task. */
  at: number;
  /** When the current task was reached, if the step is measured; a task's time includes its waiting. */
  startUs: number | undefined;
  /** What the current task waits for outside of the lane. */
  pending: Promise<void> | undefined;
  /** The message that the current task has waited for. */
  received: Float32Array | undefined;
  /** The current task has run, and the rank has rested after it. */
  rested: boolean;
}

const NOTHING: readonly Captured[] = [];

const lineOf = (queue: Queue, tasks: readonly LaneTask[]): Line => ({
  queue,
  tasks,
  at: 0,
  startUs: undefined,
  pending: undefined,
  received: undefined,
  rested: false,
});

export class RemoteLaneStep {
  readonly place: { -readonly [K in keyof LanePosition]: LanePosition[K] };
  private readonly compute: Line;
  private readonly comm: Line;
  /** Names of the events that a queue has set for the other queue. */
  private readonly events = new Set<string>();
  /** Set when the rank has stopped: neither queue continues. */
  private stopped: Promise<never> | undefined;

  constructor(
    private readonly plan: LanePlan,
    private readonly asked: Asked,
    private readonly means: LaneMeans,
  ) {
    const { lane, queues } = plan;
    this.compute = lineOf('compute', queues.compute);
    this.comm = lineOf('comm', queues.comm);
    this.place = { device: lane.device, compute: queues.compute[0]?.i.id, comm: queues.comm[0]?.i.id };
  }

  /** Returns a promise only if the lane has to wait for something outside of the thread. */
  run(): Promise<void> | undefined {
    return this.goOn() ? undefined : this.wait();
  }

  private async wait(): Promise<void> {
    do {
      if (await this.stopped) await this.stopped;
      const [one, two] = [this.pendingOf(this.compute), this.pendingOf(this.comm)];
      await (one && two ? Promise.race([one, two]) : must(one ?? two, 'something to wait for'));
    } while (!this.goOn());
  }

  /** Runs both queues until they wait. Returns whether the step is complete. */
  private goOn(): boolean {
    const { compute, comm } = this;
    const { wire } = this.means;
    for (;;) {
      const computed = this.advance(compute);
      const communicated = this.advance(comm);
      // Not after each message, so that a peer finds several messages when its thread continues.
      wire.wake?.();
      if (computed || communicated) continue;
      if (compute.at === compute.tasks.length && comm.at === comm.tasks.length) return true;
      const rests = compute.pending !== undefined || comm.pending !== undefined;
      if (this.stopped || rests || !wire.block?.()) return false;
    }
  }

  /** Runs a queue until it waits, ends, or has set an event for the other queue. Returns whether it did anything. */
  private advance(line: Line): boolean {
    const { tasks, queue } = line;
    const { stop, records } = this.asked;
    const before = line.at;
    while (line.at < tasks.length && !this.stopped) {
      const task = must(tasks[line.at], 'a task');
      const { i } = task;
      this.place[queue] = i.id;
      if (i.id === stop?.instruction) {
        this.stopped = stop.reached();
        break;
      }
      if (records) line.startUs ??= nowUs();
      const captured = line.pending !== undefined ? undefined : this.runOne(task, line);
      if (captured === undefined) break;
      if (line.startUs !== undefined && i.kind !== 'wait')
        records?.push({
          id: i.id,
          device: this.place.device,
          startUs: line.startUs,
          durUs: nowUs() - line.startUs,
          captured,
        });
      line.startUs = undefined;
      line.at++;
      if (i.signals) {
        // The other queue continues at once, like a second stream.
        this.events.add(i.signals);
        return true;
      }
    }
    if (line.at === tasks.length) this.place[queue] = undefined;
    return line.at > before;
  }

  /** Returns what the task has written, if that is asked for; undefined: the task has to wait. */
  private runOne(task: LaneTask, line: Line): readonly Captured[] | undefined {
    const { wire, brake, given } = this.means;
    const { records } = this.asked;
    const { device } = this.place;
    switch (task.kind) {
      case 'wait':
        return this.events.has(task.i.event) ? NOTHING : undefined;
      case 'send': {
        const { peer, tag } = task.i;
        if (!wire.put?.(peer, tag, task.bits)) wire.send(device, peer, tag, message(task.slice));
        return NOTHING;
      }
      case 'recv': {
        const { i, slice, space } = task;
        const data = line.received ?? wire.take?.(i.peer, device, i.tag, space);
        if (!data) return undefined;
        line.received = undefined;
        receive(slice, data, i, given.corruption);
        return records ? [capture(this.plan.lane, i.slice.buffer, slice, i.slice.offset)] : NOTHING;
      }
      case 'local': {
        if (!line.rested) {
          wire.wake?.();
          const startUs = brake && nowUs();
          task.action.run();
          const due = startUs === undefined ? undefined : brake?.(nowUs() - startUs);
          if (due) {
            line.pending = due.then(() => {
              line.pending = undefined;
              line.rested = true;
            });
            return undefined;
          }
        }
        line.rested = false;
        return records ? task.action.captured() : NOTHING;
      }
    }
  }

  /** What the queue waits for outside of the lane, if anything. */
  private pendingOf(line: Line): Promise<void> | undefined {
    const task = line.tasks[line.at];
    if (line.pending !== undefined || task?.kind !== 'recv') return line.pending;
    const { peer, tag } = task.i;
    line.pending = this.means.wire.recv(peer, this.place.device, tag).then((data) => {
      line.pending = undefined;
      line.received = data;
    });
    // If the other queue fails first, nobody waits for this message any more.
    line.pending.catch(() => {});
    return line.pending;
  }
}
