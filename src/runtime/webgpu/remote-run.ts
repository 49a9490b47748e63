/**
 * Runs one lane whose peers live elsewhere (a rank in a worker). Two cursors, one a queue, share one encoder: communication goes first, work is
 * submitted when a message leaves, when one is written into memory, and when both queues have to wait. So there is one submit between two
 * host transfers, and backward goes on while a bucket travels.
 */
import { must } from '../../base/invariant';
import type { Program } from '../../program/instruction';
import type { Corruption, Feed, InstructionRecord, Transport } from '../executor';
import type { Command } from './bind-dispatches';
import type { GpuContext } from './context';
import { planCorruption } from './corruption';
import type { RemotePlan } from './remote-plan';
import { RemoteStep } from './remote-step';
import { completeRecords } from './trace-records';
import { RemoteTrace } from './trace-remote';

export class RemoteRun {
  private readonly commands: readonly Command[];
  /** By variant. */
  private corrupted: ReadonlyMap<string, { readonly tag: string; readonly commands: readonly Command[] }> = new Map();

  constructor(
    private readonly context: GpuContext,
    private readonly plan: RemotePlan,
    private readonly transport: Transport,
  ) {
    this.commands = context.kernels.bind(plan.dispatches, context.memory, 'step');
  }

  step(variant: string, feed: Feed): Promise<void> {
    return this.newStep(variant, feed).run();
  }

  async trace(variant: string, feed: Feed): Promise<readonly InstructionRecord[]> {
    const step = this.newStep(variant, feed);
    const { lane } = must(this.plan.variants.get(variant), `program '${variant}'`);
    const trace = new RemoteTrace(this.context, variant, lane);
    await step.run(trace);
    return completeRecords([lane], await trace.records());
  }

  corrupt(corruption: Corruption | undefined, source: number): void {
    const { programs, layout, kernels, memory } = this.context;
    this.corrupted = new Map(
      (corruption ? programs : []).map((program: Program) => {
        const specs = planCorruption(program, corruption?.tag ?? '', source, layout);
        return [
          program.variant,
          { tag: corruption?.tag ?? '', commands: kernels.bind(specs, memory, 'corruption', { now: true }) },
        ];
      }),
    );
  }

  private newStep(variant: string, feed: Feed): RemoteStep {
    const plan = must(this.plan.variants.get(variant), `program '${variant}'`);
    const corrupted = this.corrupted.get(variant);
    return new RemoteStep(this.context, this.transport, {
      variant,
      plan,
      feed,
      commands: (action) => {
        const own = this.commands.slice(action.first, action.end);
        const { instruction } = action;
        return instruction.kind === 'recv' && instruction.tag === corrupted?.tag
          ? [...own, ...corrupted.commands]
          : own;
      },
    });
  }
}
