/**
 * Runs the plans of host-rounds.ts, with the data that was read back, the transport, and a function that writes into
 * GPU memory. Called by remote-step.ts.
 */
import { LockstepError } from '../../base/errors';
import { at, must } from '../../base/invariant';
import type { InstructionId } from '../../program/instruction';
import type { DeviceIndex } from '../../protocol/trace';
import { bytesOf, type HostArray } from '../../tensor/shape';
import { message as copyOf, join } from '../cpu/combine';
import type { Transport } from '../executor';
import type { HostMessage, HostRounds } from './host-rounds';

export interface HostSide {
  readonly device: DeviceIndex;
  readonly transport: Transport;
  /** The pieces that are read back. They must be neither written nor sent. */
  readonly pieces: readonly Promise<ArrayBuffer>[];
  write(buffer: number, offset: number, data: HostArray): void;
  /** Called for each message before waiting for it. */
  reached(id: InstructionId): void;
}

export async function runHostRounds({ messages, slots }: HostRounds, side: HostSide): Promise<void> {
  const { device, transport } = side;
  /** Contents of slots that have received a message or were copied to combine several. */
  const held: (HostArray | undefined)[] = [];
  const typed = (slot: number, buffer: ArrayBufferLike, offset: number, bytes: number): HostArray =>
    at(slots, slot).dtype === 'i32'
      ? new Int32Array(buffer as ArrayBuffer, offset, bytes / bytesOf('i32'))
      : new Float32Array(buffer as ArrayBuffer, offset, bytes / bytesOf('f32'));
  const contents = async (slot: number): Promise<HostArray> => {
    const known = held[slot];
    if (known) return known;
    const { read, from, to, whole } = at(slots, slot);
    const image = read
      ? typed(slot, await at(side.pieces, read.piece), read.offset, to - from)
      : typed(slot, new ArrayBuffer(to - from), 0, to - from);
    if (whole) return image;
    const own = image.slice();
    held[slot] = own;
    return own;
  };
  const part = (values: HostArray, { offset, home }: HostMessage): HostArray =>
    values.subarray(offset / bytesOf(home.dtype), (offset + home.bytes) / bytesOf(home.dtype));

  for (const message of messages) {
    const { instruction, slot, home, keep, last } = message;
    const { whole, buffer, from } = at(slots, slot);
    side.reached(instruction.id);
    if (instruction.kind === 'send') {
      const values = await contents(slot);
      const mine = whole && !keep && held[slot] !== undefined;
      const data = mine ? values : copyOf(part(values, message));
      if (mine) held[slot] = undefined;
      transport.send(device, instruction.peer, instruction.tag, new Float32Array(data.buffer as ArrayBuffer));
      continue;
    }
    const data = await transport.recv(instruction.peer, device, instruction.tag);
    const expected = home.bytes / bytesOf(home.dtype);
    if (data.length !== expected)
      throw new LockstepError(
        'program',
        `Message ${instruction.tag} has ${data.length} elements, expected ${expected}.`,
      );
    const came = typed(slot, data.buffer, data.byteOffset, home.bytes);
    if (whole) {
      // Every reduction here gives the same bits in either order.
      if (instruction.apply !== 'put') join(came, await contents(slot), instruction.apply);
      held[slot] = came;
      if (last) side.write(buffer, from, came);
    } else {
      join(part(await contents(slot), message), came, instruction.apply);
      if (last) side.write(buffer, from, must(held[slot], 'values'));
    }
  }
}
