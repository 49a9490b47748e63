/**
 * Runs programs whose lanes all live on this GPUDevice. A step is host writes, then one encoder, one compute pass that replays the bound
 * commands, the copies of the losses, one submit.
 */
import { must } from '../../base/invariant';
import type { Corruption, Feed, InstructionRecord } from '../executor';
import { type Command, encodeCommands } from './bind-dispatches';
import type { GpuContext } from './context';
import { planCorruption } from './corruption';
import type { DispatchSpec } from './dispatch';
import { runLoads } from './plan-loads';
import { type ProgramPlan, planProgram } from './plan-step';
import { SharedTrace } from './trace-shared';

interface Variant {
  readonly plan: ProgramPlan;
  readonly commands: readonly Command[];
}

export interface SharedPlan {
  readonly kind: 'shared';
  readonly variants: ReadonlyMap<string, ProgramPlan>;
  readonly dispatches: readonly DispatchSpec[];
}

/** Plans of all programs, made before memory is allocated: planning may reserve buffers. */
export function planShared({ programs, ops, layout }: Pick<GpuContext, 'programs' | 'ops' | 'layout'>): SharedPlan {
  const variants = new Map(programs.map((program) => [program.variant, planProgram(program, ops, layout)]));
  return { kind: 'shared', variants, dispatches: [...variants.values()].flatMap((plan) => plan.dispatches) };
}

export class SharedRun {
  private readonly variants: ReadonlyMap<string, Variant>;
  private readonly tracer: SharedTrace;
  /** Command lists with the corruption in them, and the corruption alone; empty without one. */
  private corrupted: ReadonlyMap<
    string,
    { readonly all: readonly Command[]; readonly tag: string; readonly extra: readonly Command[] }
  > = new Map();

  constructor(
    private readonly context: GpuContext,
    plan: SharedPlan,
  ) {
    const commands = context.kernels.bind(plan.dispatches, context.memory, 'step');
    this.tracer = new SharedTrace(context);
    let next = 0;
    this.variants = new Map(
      [...plan.variants].map(([variant, own]) => {
        const start = next;
        next += own.dispatches.length;
        return [variant, { plan: own, commands: commands.slice(start, next) }];
      }),
    );
  }

  step(variant: string, feed: Feed): void {
    const { memory, ring, losses } = this.context;
    const { plan, commands } = must(this.variants.get(variant), `program '${variant}'`);
    runLoads(plan.loads, feed, memory);
    const encoder = memory.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    encodeCommands(pass, this.corrupted.get(variant)?.all ?? commands);
    pass.end();
    ring.append(encoder, must(losses.get(variant), 'losses'), (buffer) => memory.buffer(buffer));
    memory.device.queue.submit([encoder.finish()]);
    ring.submitted();
  }

  trace(variant: string, feed: Feed): Promise<readonly InstructionRecord[]> {
    const corrupted = this.corrupted.get(variant);
    return this.tracer.run(variant, feed, (tag) => (corrupted?.tag === tag ? corrupted.extra : []));
  }

  corrupt(corruption: Corruption | undefined, source: number): void {
    const { programs, layout, kernels, memory } = this.context;
    this.corrupted = new Map();
    if (!corruption) return;
    const { tag } = corruption;
    const lists = programs.flatMap((program) => {
      const { commands, plan } = must(this.variants.get(program.variant), 'variant');
      const position = plan.arrived.get(tag);
      if (position === undefined) return [];
      const extra = kernels.bind(planCorruption(program, tag, source, layout), memory, 'corruption', { now: true });
      const all = [...commands.slice(0, position), ...extra, ...commands.slice(position)];
      return [[program.variant, { all, tag, extra }] as const];
    });
    this.corrupted = new Map(lists);
  }
}
