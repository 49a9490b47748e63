/**
 * The memory bar of a device: its allocated bytes at the cursor by category, the bytes reserved for it, and the budget.
 * All rooms share one scale, so that devices can be compared; the bar's length is the budget, unless that makes the
 * bytes invisible. Pure.
 */
import { MEMORY_CATEGORIES } from '../../protocol/trace';
import { formatShare } from '../draw/canvas-numbers';
import { formatSize } from '../draw/format';
import { clamp, type Rect } from '../draw/geometry';
import { CATEGORY_WORDS } from '../memory/memory-tree';
import type { DevicePlace } from './devices';
import type { DeviceUse } from './facts';
import type { RoomFrame } from './room-layout';
import type { MemorySegment, RoomScene, SceneItem } from './scene-types';

/** Below this share of the budget the bar shows the largest peak instead, and the text says what the budget is. */
const VISIBLE_SHARE = 0.15;

export function memoryScale(uses: readonly DeviceUse[]): number {
  const peak = Math.max(1, ...uses.map((u) => u.peakBytes));
  const budget = Math.max(1, ...uses.map((u) => u.budgetBytes));
  return peak > VISIBLE_SHARE * budget ? Math.max(budget, peak) : peak * 1.2;
}

export function memoryScene(
  { device, title }: Pick<DevicePlace, 'device' | 'title'>,
  use: DeviceUse,
  at: RoomFrame['memory'],
  scale: number,
): { readonly scene: RoomScene['memory']; readonly words: readonly string[]; readonly items: readonly SceneItem[] } {
  const used = MEMORY_CATEGORIES.map((category) => ({ category, bytes: use.bytes[category] ?? 0 })).filter(
    (s) => s.bytes > 0,
  );
  const bar = at?.bar ?? { x: 0, y: 0, width: 0, height: 0 };
  let { x } = bar;
  const segments = used.map(({ category, bytes }): MemorySegment => {
    const width = (bytes / scale) * bar.width;
    const rect = { ...bar, x, width: Math.max(0.5, width - 1) };
    x += width;
    return { category, bytes, rect };
  });
  const total = used.reduce((sum, s) => sum + s.bytes, 0);
  const now = formatSize(total);
  const reserved = formatSize(use.peakBytes);
  const budget = formatSize(use.budgetBytes);
  const peakX = bar.x + clamp(use.peakBytes / scale, 0, 1) * bar.width;
  const tipFor =
    ({ category, bytes }: MemorySegment): SceneItem['tip'] =>
    () => ({
      title: `Memory of ${title}: ${CATEGORY_WORDS[category]}`,
      facts: [
        ['bytes', `${formatSize(bytes)}, ${formatShare(total === 0 ? 0 : bytes / total)} of what is allocated`],
        ['allocated now', now],
        [
          'reserved',
          `${reserved}: memory that the run reserves for its tensors; tensors that live at different times share it`,
        ],
        ['press', 'shows the tensors'],
        ['budget', `${budget}, ${formatShare(use.peakBytes / use.budgetBytes)} of it reserved`],
      ],
    });
  const taller = (rect: Rect): Rect => ({ ...rect, y: rect.y - 4, height: rect.height + 8 });
  return {
    words: [
      `${now} of ${reserved} reserved, budget ${budget}`,
      `${now} of ${reserved} reserved`,
      `${now} of ${reserved}`,
      `${reserved} reserved`,
      reserved,
    ],
    scene: at && { bar, labelAt: at.label, segments, peakX },
    items: (at ? segments : []).map((s) => ({
      id: `${device} memory ${s.category}`,
      rect: taller(s.rect),
      device,
      event: undefined,
      tip: tipFor(s),
      opensMemory: true,
    })),
  };
}
