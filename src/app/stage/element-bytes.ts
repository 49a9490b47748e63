/** How many bytes an element of a buffer takes: two in half precision. */
import type { SessionInfo } from '../../protocol/session-info';
import type { BufferInfo, DeviceIndex } from '../../protocol/trace';

const halves = new WeakMap<readonly BufferInfo[], ReadonlySet<string>>();

export function elementBytes({ buffers }: Pick<SessionInfo, 'buffers'>, device: DeviceIndex, buffer: string): number {
  const known = halves.get(buffers);
  const own = known ?? new Set(buffers.flatMap((each) => (each.half ? [`${each.device} ${each.name}`] : [])));
  if (!known) halves.set(buffers, own);
  return own.has(`${device} ${buffer}`) ? 2 : 4;
}
