/** Notices for runs that ask for several threads of the CPU device or for fused multiply-add. Loaded for such runs. */
import { instantiate } from '../graph/vectors/kernels';
import { type CpuSettings, FUSED, usesKernels } from '../parallel/vector-ops';
import type { Program } from '../program/instruction';
import type { Notice } from '../protocol/notice';
import { canShareMemory } from '../runtime/can-share-memory';
import type { DeviceChoice } from './device-keeper';

export async function cpuNotices(
  { threads, fusedMultiplyAdd }: CpuSettings,
  kind: DeviceChoice['kind'],
  programs: readonly Program[],
): Promise<readonly Notice[]> {
  return [
    ...(threads > 1 ? threadNotices(threads, kind) : []),
    ...(fusedMultiplyAdd ? [await fusedNotice(kind, programs)] : []),
  ];
}

/** Not every page may share memory, and on a GPU the CPU threads have no work. */
function threadNotices(threads: number, kind: DeviceChoice['kind']): readonly Notice[] {
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

/** Whether fusedMultiplyAdd has an effect: reports must say whether their last bits depend on the machine. */
async function fusedNotice(kind: DeviceChoice['kind'], programs: readonly Program[]): Promise<Notice> {
  const of = (text: string, hint: string): Notice => ({ level: 'info', id: 'fusedMultiplyAdd', text, hint });
  if (kind !== 'cpu')
    return of('fusedMultiplyAdd: true has no effect on WebGPU: it is for the CPU device.', 'Choose device "cpu".');
  if (!usesKernels(programs))
    return of(
      'fusedMultiplyAdd: true has no effect: no operator of this net is large enough for the vector kernels.',
      'The run has the same numbers without the setting.',
    );
  const module = await FUSED.load();
  if (!module)
    return of(
      'fusedMultiplyAdd: true has no effect here: this machine runs no WebAssembly with relaxed SIMD.',
      'Chromium has relaxed SIMD since version 114, Node.js since version 22. The run has the same numbers without the setting.',
    );
  return fusesHere(module)
    ? of(
        'The large kernels of the CPU device use fused multiply-add.',
        'The last bits of the numbers may differ on another machine. Leave fusedMultiplyAdd out for equal bits everywhere.',
      )
    : of(
        'fusedMultiplyAdd: true changes no bit here: this machine rounds a product before the sum, also in relaxed SIMD.',
        'Another machine may round once, with other last bits.',
      );
}

/** Tests the machine: (1 + e)(1 - e) is 1 only if the product is rounded, for an e whose square is lost in rounding. */
const fusesHere = (module: WebAssembly.Module): boolean =>
  instantiate(module, new WebAssembly.Memory({ initial: 64 })).fuses(2 ** -13) !== 0;
