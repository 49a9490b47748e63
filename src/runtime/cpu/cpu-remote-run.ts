/**
 * Runs the Program of a lane whose peers are hosted elsewhere. Part of cpu-executor.ts. The two queues of the lane take
 * turns in one loop (remote-lane-step.ts).
 */
import { must } from '../../base/invariant';
import type { Instruction, Program } from '../../program/instruction';
import type { LanePosition } from '../../program/reach';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import type { Queue } from '../../protocol/trace';
import type { InstructionRecord, Stop, Transport } from '../executor';
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
  const task = (i: Instruction): LaneTask => {
    // The views are made once: a view costs as much as copying a short message.
    if (i.kind === 'send') return { kind: 'send', i, slice: sliceOf(i, array) };
    if (i.kind === 'recv') return { kind: 'recv', i, slice: sliceOf(i, array) };
    if (i.kind === 'wait') return { kind: 'wait', i };
    return { kind: 'local', i, action: localAction(context, program, lane.device, i) };
  };
  const of = (queue: Queue): readonly LaneTask[] => lane.instructions.filter((i) => i.queue === queue).map(task);
  return { lane, queues: { compute: of('compute'), comm: of('comm') } };
}
