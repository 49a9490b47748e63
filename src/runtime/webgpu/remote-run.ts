/**
 * Runs one lane whose peers are elsewhere (a rank in a worker). Two cursors, one per queue, share one encoder:
 * communication goes first, and work is submitted when a message is sent, when a received message is written into
 * memory, and when both queues have to wait. So there is one submit between two host transfers, and backward continues
 * while a bucket is being sent.
 */
import type { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import type { Program } from '../../program/instruction';
import type { LanePosition } from '../../program/reach';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import type { Corruption, Feed, InstructionRecord, Stop, Transport } from '../executor';
import { type Brake, createBrake } from '../rest';
import type { DispatchCommand } from './bind-dispatches';
import type { GpuContext } from './context';
import { planCorruption } from './corruption';
import type { RemoteAction, RemotePlan } from './remote-plan';
import { RemoteStep } from './remote-step';
import { completeRecords } from './trace-records';
import { RemoteTrace } from './trace-remote';

export class RemoteRun {
  private readonly commands = new Map<RemoteAction, readonly DispatchCommand[]>();
  /** The running step. */
  private current: RemoteStep | undefined;
  /** By Program. */
  private corrupted: ReadonlyMap<ProgramKey, { readonly tag: string; readonly commands: readonly DispatchCommand[] }> =
    new Map();

  private readonly brake: Brake | undefined;

  constructor(
    private readonly context: GpuContext,
    private readonly plan: RemotePlan,
    private readonly transport: Transport,
    slowdown: number | undefined,
  ) {
    this.brake = slowdown === undefined ? undefined : createBrake(slowdown);
    const bound = context.kernels.bind(plan.dispatches, context.memory, 'step');
    for (const { queues, play } of plan.variants.values()) {
      for (const action of [...queues.compute, ...queues.comm, ...play.compute, ...play.comm]) {
        this.commands.set(action, bound.slice(action.first, action.end));
      }
    }
  }

  async step(key: ProgramKey, feed: Feed, stop?: Stop): Promise<void> {
    await this.newStep(key, feed, stop).run();
    this.current = undefined;
  }

  async trace(key: ProgramKey, feed: Feed, stop?: Stop): Promise<readonly InstructionRecord[]> {
    const step = this.newStep(key, feed, stop, true);
    const { lane } = must(this.plan.variants.get(key), `program '${key}'`);
    const trace = new RemoteTrace(this.context, key, lane);
    await step.run(trace);
    this.current = undefined;
    return completeRecords([lane], await trace.records());
  }

  positions(): readonly LanePosition[] {
    return this.current ? [this.current.position()] : [];
  }

  corrupt(corruption: Corruption | undefined, source: number): void {
    const { programs, layout, kernels, memory } = this.context;
    this.corrupted = new Map(
      (corruption ? programs : []).map((program: Program) => {
        const specs = planCorruption(program, corruption?.tag ?? '', source, layout);
        return [
          programKey(program.kind),
          { tag: corruption?.tag ?? '', commands: kernels.bind(specs, memory, 'corruption', { now: true }) },
        ];
      }),
    );
  }

  /** Ends the waiting of a running step. */
  abort(error: LockstepError): void {
    this.current?.fail(error);
  }

  private newStep(key: ProgramKey, feed: Feed, stop: Stop | undefined, traced = false): RemoteStep {
    const plan = must(this.plan.variants.get(key), `program '${key}'`);
    const corrupted = this.corrupted.get(key);
    // A traced or stopped step runs message by message.
    const apart = traced || stop !== undefined || corrupted !== undefined;
    this.current = new RemoteStep(this.context, this.transport, {
      key,
      lane: plan.lane,
      queues: apart ? plan.queues : plan.play,
      feed,
      stop,
      brake: this.brake,
      commands: (action) => {
        const own = must(this.commands.get(action), 'commands');
        const { instruction } = action;
        return instruction.kind === 'recv' && instruction.tag === corrupted?.tag
          ? [...own, ...corrupted.commands]
          : own;
      },
    });
    return this.current;
  }
}
