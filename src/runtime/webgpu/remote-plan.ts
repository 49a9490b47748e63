/**
 * Plans a lane whose peers are in other memory spaces: each instruction's dispatches and place in memory. Nothing is
 * merged, because the order of the two queues depends on when messages arrive. Messages that are combined with a buffer
 * arrive in one receive buffer.
 */
import { at, must } from '../../base/invariant';
import type { Instruction, Lane } from '../../program/instruction';
import { accessedBuffers } from '../../program/instruction-access';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import type { Queue } from '../../protocol/trace';
import type { GpuContext } from './context';
import type { DispatchSpec } from './dispatch';
import { WORD_BYTES, wordAt, wordsOf } from './gpu-words';
import { type HostRounds, type HostTransfer, messageRuns, planHostRounds } from './host-rounds';
import { joinCode } from './join-code';
import type { Location, MemoryLayout } from './memory-layout';
import { planCompute } from './plan-compute';
import { type LoadPlan, planLoads } from './plan-loads';
import { planTransfers } from './plan-transfer';

export interface RemoteAction {
  readonly instruction: Instruction;
  readonly loads: readonly LoadPlan[];
  /**
   * Whether no earlier instruction of the lane touches the memory that it loads, so that it may be written before the
   * step begins.
   */
  readonly early: boolean;
  /** The action's dispatches: [first, end) of RemotePlan.dispatches. */
  readonly first: number;
  readonly end: number;
  /**
   * Send and recv: the place of the slice in bytes; for a combining recv, the place where the message is written first.
   */
  readonly slice?: { readonly buffer: number; readonly offset: number; readonly bytes: number };
  /** Send and recv: the slice itself. */
  readonly message?: HostTransfer;
  /** The action stands for several messages, the last of which is `instruction`. */
  readonly rounds?: HostRounds;
}

export interface RemoteVariant {
  readonly lane: Lane;
  /** Queues with one action per message. */
  readonly queues: Queues;
  /** Queues with rounds of collectives on the host, for steps that are not traced. */
  readonly play: Queues;
}

type Queues = Readonly<Record<Queue, readonly RemoteAction[]>>;

export interface RemotePlan {
  readonly kind: 'remote';
  readonly variants: ReadonlyMap<ProgramKey, RemoteVariant>;
  readonly dispatches: readonly DispatchSpec[];
}

export function planRemote({ programs, ops, layout }: Pick<GpuContext, 'programs' | 'ops' | 'layout'>): RemotePlan {
  const dispatches: DispatchSpec[] = [];
  const lanes = programs.map((program) => ({ key: programKey(program.kind), lane: at(program.lanes, 0) }));
  const longest = Math.max(
    0,
    ...lanes.flatMap(({ lane }) =>
      lane.instructions.map((i) => (i.kind === 'recv' && i.apply !== 'put' ? i.bytes : 0)),
    ),
  );
  const received = longest > 0 ? layout.reserve('received', longest) : 0;
  const variants = new Map(
    lanes.map(({ key, lane }) => {
      // The list's order respects both queues and every wait, so the first user of a place in the list is the first in
      // any interleaving.
      const touched = new Set<string>();
      const actions = lane.instructions.map((instruction): RemoteAction => {
        const places = accessedBuffers(instruction).map((name) => placeOf(layout.locate(key, lane.device, name)));
        const early = places.every((place) => !touched.has(place));
        for (const place of places) touched.add(place);
        const first = dispatches.length;
        const locate = (name: string) => layout.locate(key, lane.device, name);
        const add = (specs: readonly DispatchSpec[]) => {
          dispatches.push(...specs);
          return { instruction, loads: [], early, first, end: dispatches.length };
        };
        switch (instruction.kind) {
          case 'wait':
            return add([]);
          case 'load': {
            const loads = planLoads(
              [{ device: lane.device, instruction }],
              (_, name) => locate(name),
              () => true,
              layout,
            ).writes;
            return { ...add([]), loads };
          }
          case 'compute': {
            const op = must(ops.get(instruction.op), `operator ${instruction.op}`);
            const operands = [...instruction.inputs, ...instruction.outputs].map(locate);
            return add(planCompute(op, [operands], instruction.inputs.length, instruction.attrs, layout));
          }
          default:
            return planMessage(instruction, received, locate, add, layout);
        }
      });
      const queues = {
        compute: actions.filter((a) => a.instruction.queue === 'compute'),
        comm: actions.filter((a) => a.instruction.queue === 'comm'),
      };
      return [key, { lane, queues, play: { compute: playOf(queues.compute), comm: playOf(queues.comm) } }];
    }),
  );
  return { kind: 'remote', variants, dispatches };
}

function playOf(actions: readonly RemoteAction[]): readonly RemoteAction[] {
  const runs = new Map(messageRuns(actions).map((run) => [run[0], run]));
  const result: RemoteAction[] = [];
  for (let i = 0; i < actions.length; ) {
    const action = at(actions, i);
    const run = runs.get(action);
    if (run) {
      const messages = run.map(({ message }) => must(message, 'message'));
      const { instruction, first } = at(run, run.length - 1);
      result.push({ instruction, loads: [], early: false, first, end: first, rounds: planHostRounds(messages) });
    } else result.push(action);
    i += run?.length ?? 1;
  }
  return result;
}

const placeOf = ({ buffer, offset }: Location): string => `${buffer}+${offset}`;

function planMessage(
  instruction: Extract<Instruction, { slice: unknown }>,
  received: number,
  locate: (name: string) => Location,
  add: (specs: readonly DispatchSpec[]) => RemoteAction,
  layout: MemoryLayout,
): RemoteAction {
  const location = locate(instruction.slice.buffer);
  const { buffer, spec } = location;
  const to = wordAt(location, instruction.slice.offset);
  const length = wordsOf(spec.dtype, instruction.slice.length);
  const bytes = length * WORD_BYTES;
  const slice = { buffer, offset: to * WORD_BYTES, bytes };
  const message: HostTransfer = { instruction, home: { ...slice, dtype: spec.dtype } };
  if (instruction.kind === 'send' || instruction.apply === 'put') return { ...add([]), slice, message };
  const specs = planTransfers(
    [{ source: received, from: 0, target: buffer, to, length }],
    joinCode(instruction.apply, spec.dtype),
    layout,
  );
  return { ...add(specs), slice: { buffer: received, offset: 0, bytes }, message };
}
