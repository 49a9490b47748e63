/**
 * Merges the lanes of one memory space into a single order that respects both queues of every device, every wait and
 * every transfer. Equal computations of several devices that are ready together form one step, so that the runtime can
 * run them as one dispatch. It also detects deadlocks: if no instruction is ready but some are left, the error names
 * which device waits for which.
 */
import { LockstepError } from '../base/errors';
import { must } from '../base/invariant';
import type { Compute, Instruction, Load, Program, Recv, Send } from './instruction';
import { type Head, headOf, type Placed, ReadyHeads } from './ready-heads';

export interface Transfer {
  readonly send: Placed<Send>;
  readonly recv: Placed<Recv>;
}

/** All items of a step are independent of each other. */
export type LinearStep =
  | { readonly kind: 'compute'; readonly items: readonly Placed<Compute>[] }
  | { readonly kind: 'load'; readonly items: readonly Placed<Load>[] }
  | { readonly kind: 'transfer'; readonly items: readonly Transfer[] };

/** Every instruction that a step completes. */
export const instructionsOf = (step: LinearStep): readonly Placed<Instruction>[] =>
  step.kind === 'transfer' ? step.items.flatMap(({ send, recv }) => [send, recv]) : step.items;

/** `group: false` puts each instruction in its own step (tracing). */
export function linearize(program: Program, options: { readonly group: boolean }): readonly LinearStep[] {
  const ready = new ReadyHeads(program);
  const steps: LinearStep[] = [];
  for (let group = ready.largest(options.group); group; group = ready.largest(options.group)) {
    const chosen = options.group ? [...group] : group.slice(0, 1);
    const placed = chosen.map((head) => ({ device: head.device, instruction: must(headOf(head), 'ready head') }));
    steps.push(toStep(placed, ready.posted.byTag));
    ready.run(chosen);
  }
  const stuck = ready.heads.filter(headOf);
  if (stuck.length > 0) throw deadlock(stuck);
  return steps;
}

function toStep(placed: readonly Placed<Instruction>[], posted: ReadonlyMap<string, Placed<Send>>): LinearStep {
  const kind = must(placed[0], 'step').instruction.kind;
  if (kind === 'compute') return { kind, items: placed as Placed<Compute>[] };
  if (kind === 'load') return { kind, items: placed as Placed<Load>[] };
  const items = (placed as Placed<Recv>[]).map((recv) => ({
    recv,
    send: must(posted.get(recv.instruction.tag), recv.instruction.tag),
  }));
  return { kind: 'transfer', items };
}

function deadlock(stuck: readonly Head[]): LockstepError {
  const lines = stuck.map((head) => {
    const i = must(headOf(head), 'stuck head');
    const what =
      i.kind === 'recv'
        ? `waits for cuda:${i.peer} to send ${i.tag}`
        : i.kind === 'wait'
          ? `waits for event ${i.event}`
          : `cannot run ${i.kind === 'compute' ? i.op : i.kind} before a pending transfer has left`;
    return `cuda:${head.device} (${head.queue}) ${what}`;
  });
  return new LockstepError(
    'program',
    `The Program would hang: ${lines.join('; ')}.`,
    'Every recv needs a send with the same tag, and no rank may wait for a send that comes after the wait.',
    { lines },
  );
}
