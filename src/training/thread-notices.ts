/** What a run says that asked for several threads of the CPU and has one. Fetched where a run asks for several. */
import type { Notice } from '../protocol/notice';
import { canShareMemory } from '../runtime/cpu/threads';
import type { DeviceChoice } from './device-keeper';

/** Memory is not shared everywhere, and on a GPU there is nothing that CPU threads could share. */
export function threadNotices(threads: number, kind: DeviceChoice['kind']): readonly Notice[] {
  if (kind === 'cpu' && canShareMemory()) return [];
  const text =
    kind === 'cpu'
      ? 'This page is not cross-origin isolated, so the CPU device has 1 thread.'
      : `threads: ${threads} has no effect on WebGPU: it is for the CPU device.`;
  const hint =
    kind === 'cpu'
      ? 'The host of the page has to send the headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp, as npm start does.'
      : 'Choose device "cpu", or 1 thread.';
  return [{ level: 'info', id: 'threads', text, hint }];
}
