/**
 * A Program, or one instruction of a lane, as actions: what to run, for which instructions it stands, and what a trace
 * keeps of it. cpu-actions.ts has what each kind of instruction does.
 */
import { must } from '../../base/invariant';
import { foldMovements } from '../../program/fold-movements';
import type { Instruction, Program } from '../../program/instruction';
import { linearize, type Transfer } from '../../program/linearize';
import { programKey } from '../../protocol/step-kind';
import type { Captured, DeviceIndex } from '../../protocol/trace';
import { type ArrayOf, capture, computeAction, foldAction, loadAction, receive, sliceOf } from './cpu-actions';
import type { CpuContext } from './cpu-context';

/** One thing to do, for the instructions it stands for (a transfer is a send and a recv). */
export interface Action {
  readonly parts: readonly { readonly device: DeviceIndex; readonly instruction: Instruction }[];
  run(): void;
  captured(): Captured[];
}

/** An instruction that needs no peer. */
export function localAction(
  context: CpuContext,
  program: Program,
  device: DeviceIndex,
  instruction: Instruction,
): Action {
  const { ops, scratch, given } = context;
  const array = context.arrayOf(programKey(program.kind), device);
  const parts = [{ device, instruction }];
  if (instruction.kind === 'compute') {
    const lane = must(
      program.lanes.find((l) => l.device === device),
      `lane ${device}`,
    );
    const run = computeAction(instruction, lane, array, ops, scratch);
    return { parts, run, captured: () => instruction.outputs.map((name) => capture(name, array(name), 0)) };
  }
  if (instruction.kind === 'load') {
    const run = loadAction(instruction, device, array, () => given.feed);
    return { parts, run, captured: () => [capture(instruction.buffer, array(instruction.buffer), 0)] };
  }
  return { parts, run: () => {}, captured: () => [] };
}

/**
 * All of a Program whose lanes live here, in one order. `fold`: an all-reduce is one action; else each of its rounds is
 * one, and can be traced and corrupted.
 */
export function programActions(
  context: CpuContext,
  program: Program,
  { fold }: { readonly fold: boolean },
): readonly Action[] {
  const rounds = linearize(program, { group: false });
  const steps = fold ? foldMovements(program, rounds, context.ops, () => 'arrays') : rounds;
  const key = programKey(program.kind);
  const arrayOn = (device: DeviceIndex): ArrayOf => context.arrayOf(key, device);
  return steps.flatMap((step): Action[] => {
    if (step.kind === 'fold')
      return step.items.map((item) => ({
        parts: step.ran,
        run: foldAction(item, ({ device, buffer }) => arrayOn(device)(buffer)),
        captured: () => [],
      }));
    if (step.kind === 'transfer') return step.items.map((item) => transferAction(context, arrayOn, item));
    return step.items.map(({ device, instruction }) => localAction(context, program, device, instruction));
  });
}

function transferAction(
  { given }: CpuContext,
  arrayOn: (device: DeviceIndex) => ArrayOf,
  { send, recv }: Transfer,
): Action {
  const source = sliceOf(send.instruction, arrayOn(send.device));
  const target = sliceOf(recv.instruction, arrayOn(recv.device));
  const { slice } = recv.instruction;
  return {
    parts: [send, recv],
    run: () => receive(target, source, recv.instruction, given.corruption),
    captured: () => [capture(slice.buffer, target, slice.offset)],
  };
}
