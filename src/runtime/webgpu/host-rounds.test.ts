/**
 * Rounds on the host against the same messages one by one, for every algorithm and collective: the same bytes
 * everywhere; and what is read back and written for it.
 */

import { describe, expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { loadedAlgorithms } from '../../collectives/algorithms';
import type { CollectiveCall } from '../../collectives/collective';
import { ring } from '../../collectives/ring';
import { CpuScratch } from '../../graph/cpu-scratch';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { PROGRAM_OPS } from '../../parallel/modes';
import { ProgramBuilder } from '../../program/builder';
import type { Instruction, Lane, Program } from '../../program/instruction';
import type { CollectiveOp } from '../../protocol/collective';
import { allocate, elements, type HostArray } from '../../tensor/shape';
import { message as copyOf } from '../cpu/combine';
import { computeAction, receive, sliceOf } from '../cpu/cpu-actions';
import type { Transport } from '../executor';
import { type HostTransfer, messageRuns, planHostRounds } from './host-rounds';
import { runHostRounds } from './run-host-rounds';

const OUTPUT: Partial<Record<CollectiveOp, (length: number, ranks: number) => number>> = {
  allGather: (length, ranks) => length * ranks,
  gather: (length, ranks) => length * ranks,
  reduceScatter: (length, ranks) => length / ranks,
  scatter: (length, ranks) => length / ranks,
  allToAll: (length) => length,
};

function programOf(
  call: Pick<CollectiveCall, 'op' | 'reduceOp' | 'length' | 'nodes'>,
  ranks: number,
  emit: (c: CollectiveCall) => void,
): Program {
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: ranks }), PROGRAM_OPS);
  const out = OUTPUT[call.op]?.(call.length, ranks);
  for (const lane of builder.lanes) {
    const base = {
      dtype: call.reduceOp === 'bxor' ? 'i32' : 'f32',
      category: 'communication',
      persistent: true,
    } as const;
    lane.buffer({ ...base, name: 'input', shape: [call.length] });
    if (out !== undefined) lane.buffer({ ...base, name: 'output', shape: [out] });
  }
  emit({
    ...call,
    builder,
    group: builder.mesh.world,
    input: 'input',
    output: 'output',
    payload: 'data',
    where: { phase: 'reduce', anchor: '', queue: 'comm' },
  });
  return builder.finish('test');
}

function portsInMemory(): Transport {
  const lines = new Map<string, { arrived: Float32Array[]; waiting: ((data: Float32Array) => void)[] }>();
  const lineOf = (tag: string) => must(lines.get(tag) ?? lines.set(tag, { arrived: [], waiting: [] }).get(tag), tag);
  return {
    send(_from, _to, tag, data) {
      const waiter = lineOf(tag).waiting.shift();
      // As a port does: the sender has it no longer.
      const moved = new Float32Array(structuredClone(data.buffer, { transfer: [data.buffer as ArrayBuffer] }));
      if (waiter) waiter(moved);
      else lineOf(tag).arrived.push(moved);
    },
    recv(_from, _to, tag) {
      const data = lineOf(tag).arrived.shift();
      return data ? Promise.resolve(data) : new Promise((resolve) => lineOf(tag).waiting.push(resolve));
    },
  };
}

/** Runs a lane on arrays; its buffers are GPUBuffers 0, 1 ... */
async function runLane(lane: Lane, transport: Transport, onHost: boolean): Promise<readonly HostArray[]> {
  const arrays = lane.buffers.map(({ dtype, shape }, b) => {
    const values = allocate(dtype, elements(shape));
    for (let i = 0; i < values.length; i++)
      values[i] = b === 0 ? ((7 * i + 3 * lane.device) % 11) - 5 + (dtype === 'f32' ? i / 3 : 0) : 0;
    return values;
  });
  const indexOf = (name: string) => lane.buffers.findIndex((spec) => spec.name === name);
  const arrayOf = (name: string) => at(arrays, indexOf(name));
  const actions = lane.instructions.map((instruction) => ({
    instruction,
    ...(instruction.kind === 'send' || instruction.kind === 'recv' ? { message: messageOf(instruction) } : {}),
  }));
  function messageOf(instruction: Extract<Instruction, { slice: unknown }>): HostTransfer {
    const { buffer, offset, length } = instruction.slice;
    return {
      instruction,
      home: {
        buffer: indexOf(buffer),
        offset: 4 * offset,
        bytes: 4 * length,
        dtype: must(lane.buffers[indexOf(buffer)], buffer).dtype,
      },
    };
  }
  const runs = onHost ? messageRuns(actions) : [];
  for (let i = 0; i < actions.length; ) {
    const { instruction } = at(actions, i);
    const run = runs.find(([first]) => first === actions[i]);
    if (run) {
      const plan = planHostRounds(run.map(({ message }) => must(message, 'message')));
      const pieces = plan.pieces.map((bytes) => new ArrayBuffer(bytes));
      for (const { buffer, from, to, read } of plan.slots)
        if (read)
          new Uint8Array(at(pieces, read.piece)).set(
            new Uint8Array(at(arrays, buffer).buffer, from, to - from),
            read.offset,
          );
      await runHostRounds(plan, {
        device: lane.device,
        transport,
        pieces: pieces.map((piece) => Promise.resolve(piece)),
        write: (buffer, offset, data) =>
          new Uint8Array(at(arrays, buffer).buffer).set(
            new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
            offset,
          ),
        reached: () => undefined,
      });
    } else if (instruction.kind === 'compute')
      computeAction(instruction, lane, arrayOf, { ops: PROGRAM_OPS, scratch: new CpuScratch() })();
    else if (instruction.kind === 'send')
      transport.send(lane.device, instruction.peer, instruction.tag, copyOf(sliceOf(instruction, arrayOf)));
    else if (instruction.kind === 'recv')
      receive(
        sliceOf(instruction, arrayOf),
        await transport.recv(instruction.peer, lane.device, instruction.tag),
        instruction,
        undefined,
      );
    i += run?.length ?? 1;
  }
  return arrays;
}

async function bytesOf(program: Program, onHost: boolean): Promise<readonly string[]> {
  const transport = portsInMemory();
  const lanes = await Promise.all(program.lanes.map((lane) => runLane(lane, transport, onHost)));
  return lanes.map((arrays) =>
    arrays.map((a) => Buffer.from(a.buffer as ArrayBuffer, a.byteOffset, a.byteLength).toString('hex')).join(' '),
  );
}

describe.each(loadedAlgorithms())('$name', ({ ops, emit }) => {
  test.each([...ops])('%s', async (op) => {
    for (const ranks of [2, 3, 4, 6]) {
      const nodes =
        ranks === 6
          ? [
              [0, 1, 2],
              [3, 4, 5],
            ]
          : undefined;
      for (const reduceOp of ['sum', 'max', 'bxor'] as const) {
        const program = programOf({ op, reduceOp, length: 2 * ranks * 3, ...(nodes ? { nodes } : {}) }, ranks, emit);
        expect(await bytesOf(program, true)).toEqual(await bytesOf(program, false));
      }
    }
  });
});

test('a ring reads the buffer once, in the order of its chunks, forwards received chunks, and writes each chunk once', () => {
  const [lane] = programOf({ op: 'allReduce', length: 12 }, 3, ring.emit).lanes;
  const messages = must(lane, 'lane').instructions.flatMap((instruction): HostTransfer[] =>
    instruction.kind === 'send' || instruction.kind === 'recv'
      ? [
          {
            instruction,
            home: {
              buffer: 0,
              offset: 4 * instruction.slice.offset,
              bytes: 4 * instruction.slice.length,
              dtype: 'f32',
            },
          },
        ]
      : [],
  );
  const { slots, pieces, messages: placed } = planHostRounds(messages);
  expect(pieces).toEqual([48]);
  expect(slots.map(({ from, whole, read }) => [from, whole, read])).toEqual([
    [16, true, { piece: 0, offset: 0 }],
    [32, true, { piece: 0, offset: 16 }],
    [0, true, { piece: 0, offset: 32 }],
  ]);
  expect(placed.map(({ instruction, keep, last }) => (instruction.kind === 'send' ? keep : last))).toEqual([
    false,
    false,
    false,
    true,
    false,
    true,
    false,
    true,
  ]);
});
