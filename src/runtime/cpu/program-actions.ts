/**
 * A Program, or one instruction of a lane, as actions: a function to run, the instructions that it stands for, and the
 * values that a trace keeps. cpu-actions.ts implements each kind of instruction.
 */
import { must } from '../../base/invariant';
import { type FoldStep, foldMovements } from '../../program/fold-movements';
import type { Instruction, Lane, Program } from '../../program/instruction';
import { type LinearStep, linearize, type Transfer } from '../../program/linearize';
import { programKey } from '../../protocol/step-kind';
import type { Captured, DeviceIndex } from '../../protocol/trace';
import { capture, computeAction, foldAction, loadAction, receiveAction, sliceOf } from './cpu-actions';
import type { ArrayOf, CpuContext } from './cpu-context';

/** One function to run, and the instructions that it stands for (a transfer is a send and a recv). */
export interface CpuAction {
  readonly parts: readonly { readonly device: DeviceIndex; readonly instruction: Instruction }[];
  run(): void;
  captured(): Captured[];
}

const laneOf = ({ lanes }: Program, device: DeviceIndex): Lane =>
  must(
    lanes.find((l) => l.device === device),
    `lane ${device}`,
  );

/** An instruction that needs no peer. */
export function localAction(
  context: CpuContext,
  program: Program,
  device: DeviceIndex,
  instruction: Instruction,
): CpuAction {
  const { given } = context;
  const array = context.arrayOf(programKey(program.kind), device);
  const parts = [{ device, instruction }];
  const lane = laneOf(program, device);
  if (instruction.kind === 'compute') {
    const run = computeAction(instruction, lane, array, context);
    return { parts, run, captured: () => instruction.outputs.map((name) => capture(lane, name, array(name), 0)) };
  }
  if (instruction.kind === 'load') {
    const run = loadAction(instruction, device, array, () => given.feed);
    return { parts, run, captured: () => [capture(lane, instruction.buffer, array(instruction.buffer), 0)] };
  }
  return { parts, run: () => {}, captured: () => [] };
}

/**
 * The actions of a Program whose lanes are all hosted here, in one order. `fold`: an all-reduce is one action;
 * otherwise each of its rounds is one, and can be traced and corrupted.
 */
export function programActions(
  context: CpuContext,
  program: Program,
  { fold }: { readonly fold: boolean },
): readonly CpuAction[] {
  const rounds = linearize(program, { group: false });
  const steps = fold ? foldMovements(program, rounds, context.ops, () => 'arrays') : rounds;
  return steps.flatMap((step) => stepActions(context, program, step));
}

export function stepActions(context: CpuContext, program: Program, step: LinearStep | FoldStep): readonly CpuAction[] {
  const key = programKey(program.kind);
  const arrayOn = (device: DeviceIndex): ArrayOf => context.arrayOf(key, device);
  if (step.kind === 'fold')
    return step.items.map((item) => ({
      parts: step.ran,
      run: foldAction(item, ({ device, buffer }) => arrayOn(device)(buffer), context),
      captured: () => [],
    }));
  if (step.kind === 'transfer') return step.items.map((item) => transferAction(context, program, arrayOn, item));
  return step.items.map(({ device, instruction }) => localAction(context, program, device, instruction));
}

function transferAction(
  context: CpuContext,
  program: Program,
  arrayOn: (device: DeviceIndex) => ArrayOf,
  { send, recv }: Transfer,
): CpuAction {
  const source = sliceOf(send.instruction, arrayOn(send.device));
  const target = sliceOf(recv.instruction, arrayOn(recv.device));
  const { slice } = recv.instruction;
  const lane = laneOf(program, recv.device);
  return {
    parts: [send, recv],
    run: receiveAction(target, source, recv.instruction, context.given, context),
    captured: () => [capture(lane, slice.buffer, target, slice.offset)],
  };
}
