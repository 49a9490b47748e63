/** What one instruction costs on modelled hardware, microseconds: a roofline for kernels, alpha-beta for messages. */
import type { Instruction } from '../program/instruction';
import type { Hardware } from './hardware';

const US = 1e6;

/** Time on the device's own queue. A receive adds what it got, on the way in, at memory speed. */
export function costUs(i: Instruction, hardware: Hardware): number {
  switch (i.kind) {
    case 'compute':
      return hardware.launchUs + US * Math.max(i.flops / hardware.flopsPerSecond, i.bytes / hardware.memoryBytesPerSecond);
    case 'load':
      return hardware.launchUs + (US * i.bytes) / hardware.hostBytesPerSecond;
    case 'send':
      return messageUs(i.bytes, hardware);
    case 'recv':
      return i.apply === 'add' ? (US * 3 * i.bytes) / hardware.memoryBytesPerSecond : 0;
    case 'wait':
      return 0;
  }
}

export const messageUs = (bytes: number, hardware: Hardware): number => hardware.linkLatencyUs + (US * bytes) / hardware.linkBytesPerSecond;
