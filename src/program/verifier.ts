/**
 * Refuses a Program before it runs: a buffer that does not exist, a slice outside its buffer, a receive without its
 * send, collectives that differ between ranks, a wait that can never end. Messages are PyTorch's in meaning.
 */

import { LockstepError } from '../base/errors';
import { must } from '../base/invariant';
import type { OpTable } from '../graph/op';
import type { Apply } from '../protocol/trace';
import { elements } from '../tensor/shape';
import type { Instruction, Lane, Program, Recv, Send } from './instruction';
import { readBuffers, writtenBuffers } from './instruction-access';
import { linearize } from './linearize';
import { checkCollectives } from './verify-collectives';

const BITWISE: readonly Apply[] = ['band', 'bor', 'bxor'];

export function verify(program: Program, ops: OpTable): void {
  for (const lane of program.lanes) checkLane(lane, ops);
  checkTransfers(program);
  checkCollectives(program);
  linearize(program, { group: false });
}

function checkLane(lane: Lane, ops: OpTable): void {
  const specs = new Map(lane.buffers.map((b) => [b.name, b]));
  const signalled = new Set(lane.instructions.flatMap((i) => (i.signals ? [i.signals] : [])));
  const refuse = (i: Instruction, why: string): never => {
    throw new LockstepError('program', `cuda:${lane.device}, instruction ${i.id} (${i.kind}): ${why}`);
  };
  for (const i of lane.instructions) {
    for (const names of [readBuffers(i), writtenBuffers(i)])
      for (const name of names) if (!specs.has(name)) refuse(i, `buffer ${name} does not exist on this device.`);
    if (i.kind === 'compute' && !ops.has(i.op)) refuse(i, `unknown operator ${i.op}.`);
    if (i.kind === 'wait' && !signalled.has(i.event)) refuse(i, `nothing signals event ${i.event}.`);
    if (i.kind === 'send' || i.kind === 'recv') {
      const size = elements(must(specs.get(i.slice.buffer), i.slice.buffer).shape);
      if (i.slice.offset < 0 || i.slice.length < 1 || i.slice.offset + i.slice.length > size) {
        refuse(
          i,
          `slice [${i.slice.offset}, ${i.slice.offset + i.slice.length}) is outside ${i.slice.buffer} of ${size} elements.`,
        );
      }
      if (i.kind === 'recv' && BITWISE.includes(i.apply) && specs.get(i.slice.buffer)?.dtype !== 'i32')
        refuse(i, `Cannot use ReduceOp.${i.apply.toUpperCase()} with non-integral dtype (${i.slice.buffer}).`);
    }
  }
}

function checkTransfers(program: Program): void {
  const dtypes = new Map(
    program.lanes.flatMap(({ device, buffers }) => buffers.map((b) => [`${device} ${b.name}`, b.dtype])),
  );
  const sends = new Map<string, { device: number; i: Send }>();
  const recvs = new Map<string, { device: number; i: Recv }>();
  for (const lane of program.lanes) {
    for (const i of lane.instructions) {
      if (i.kind !== 'send' && i.kind !== 'recv') continue;
      const side = i.kind === 'send' ? sends : recvs;
      if (side.has(i.tag)) throw new LockstepError('program', `Two ${i.kind}s share the tag ${i.tag}.`);
      if (i.kind === 'send') sends.set(i.tag, { device: lane.device, i });
      else recvs.set(i.tag, { device: lane.device, i });
    }
  }
  for (const [tag, { device, i }] of recvs) {
    const send = sends.get(tag);
    if (!send)
      throw new LockstepError(
        'program',
        `cuda:${device} receives ${i.slice.buffer} from cuda:${i.peer}, which never sends it (${tag}).`,
        'The receive would wait until the timeout.',
      );
    if (send.device !== i.peer || send.i.peer !== device)
      throw new LockstepError('program', `Send and receive of ${tag} name different peers.`);
    const [sent, taken] = [dtypes.get(`${i.peer} ${send.i.slice.buffer}`), dtypes.get(`${device} ${i.slice.buffer}`)];
    if (sent !== taken)
      throw new LockstepError(
        'program',
        `cuda:${i.peer} sends ${sent} of ${send.i.slice.buffer}, but cuda:${device} reads it as ${taken} (${tag}).`,
      );
    if (send.i.slice.length !== i.slice.length) {
      throw new LockstepError(
        'program',
        `cuda:${i.peer} sends ${send.i.slice.length} elements of ${send.i.slice.buffer}, but cuda:${device} expects ${i.slice.length} (${tag}).`,
      );
    }
  }
  for (const [tag, { device, i }] of sends) {
    if (!recvs.has(tag))
      throw new LockstepError(
        'program',
        `cuda:${device} sends ${i.slice.buffer} to cuda:${i.peer}, which never receives it (${tag}).`,
      );
  }
}
