/**
 * Runs the Program of a lane whose peers are hosted elsewhere. Part of cpu-executor.ts. The two queues of the lane take
 * turns in one loop (remote-lane-step.ts).
 */
import { must } from '../../base/invariant';
import type { Instruction, Program } from '../../program/instruction';
import type { LanePosition } from '../../program/reach';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import type { Queue } from '../../protocol/trace';
import { bitsOf } from '../../tensor/bits';
import type { InstructionRecord, MessageSpace, Stop, Transport } from '../executor';
import { createBrake } from '../rest';
import { sliceOf } from './cpu-actions';
import { type CpuContext, hostedLanes, isShared } from './cpu-context';
import { localAction } from './program-actions';
import { type LaneMeans, type LanePlan, type LaneTask, RemoteLaneStep } from './remote-lane-step';

export class CpuRemoteRun {
  private readonly plans: ReadonlyMap<ProgramKey, LanePlan>;
  private readonly means: LaneMeans;
  private underWay: RemoteLaneStep | undefined;

  constructor(context: CpuContext, wire: Transport, slowdown: number | undefined) {
    const brake = slowdown === undefined ? undefined : createBrake(slowdown);
    this.means = { wire, brake, given: context.given };
    const own = context.programs.filter((program) => !isShared(context, program));
    this.plans = new Map(own.map((program) => [programKey(program.kind), planLane(context, program)]));
  }

  /** Returns a promise only if the lane had to wait for another rank. */
  step(
    key: ProgramKey,
    asked: { readonly stop: Stop | undefined; readonly records: InstructionRecord[] | undefined },
  ): Promise<void> | undefined {
    this.underWay = new RemoteLaneStep(must(this.plans.get(key), `program ${key}`), asked, this.means);
    const waiting = this.underWay.run();
    if (waiting !== undefined) return waiting.then(() => this.end());
    this.end();
    return undefined;
  }

  positions(): readonly LanePosition[] {
    return this.underWay ? [this.underWay.place] : [];
  }

  private end(): void {
    this.underWay = undefined;
  }
}

function planLane(context: CpuContext, program: Program): LanePlan {
  const lane = must(hostedLanes(context, program)[0], 'a hosted lane');
  const array = context.arrayOf(programKey(program.kind), lane.device);
  /** By length. A received message is applied at once, so all receives of one length share the memory. */
  const spaces = new Map<number, MessageSpace>();
  const spaceOf = (length: number): MessageSpace => {
    const known = spaces.get(length);
    if (known) return known;
    const data = new Float32Array(length);
    const space = { data, bits: bitsOf(data) };
    spaces.set(length, space);
    return space;
  };
  const task = (i: Instruction): LaneTask => {
    // The views are made once: a view costs as much as copying a short message.
    if (i.kind === 'send') {
      const slice = sliceOf(i, array);
      return { kind: 'send', i, slice, bits: bitsOf(slice) };
    }
    if (i.kind === 'recv') return { kind: 'recv', i, slice: sliceOf(i, array), space: spaceOf(i.slice.length) };
    if (i.kind === 'wait') return { kind: 'wait', i };
    return { kind: 'local', i, action: localAction(context, program, lane.device, i) };
  };
  const of = (queue: Queue): readonly LaneTask[] => lane.instructions.filter((i) => i.queue === queue).map(task);
  return { lane, queues: { compute: of('compute'), comm: of('comm') } };
}
