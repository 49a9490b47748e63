/** The tabs of a room's buckets: a tab shows its bucket in all rooms, until the next bucket is sent. Pure. */
import type { RoomContent } from './room-content';
import type { RoomInput } from './room-input';
import type { SceneItem, TabsScene } from './scene-types';

const TAB = 22;

export function bucketTabs({ buckets }: RoomInput, { body, chunks }: RoomContent): TabsScene | undefined {
  const at = body.tabs;
  const shown = chunks?.exchange.bucket?.index;
  if (!at || shown === undefined) return undefined;
  const words = 52;
  const most = Math.max(1, Math.floor((at.width - words) / (TAB + 4)));
  const first = Math.max(0, Math.min(buckets.length - most, shown - Math.floor(most / 2)));
  const boxes = buckets.slice(first, first + most).map(({ index }, i) => ({
    index,
    rect: { x: at.x + words + i * (TAB + 4), y: at.y, width: TAB, height: at.height },
  }));
  return { at, shown, boxes, count: buckets.length };
}

export function tabItems({ place, buckets, facts }: RoomInput, scene: TabsScene | undefined): readonly SceneItem[] {
  const sent = facts.wire(place.device)?.bucket?.index ?? -1;
  return (scene?.boxes ?? []).map(({ index, rect }) => ({
    id: `${place.device} tab ${index}`,
    rect,
    device: place.device,
    event: undefined,
    showsTab: { bucket: index, instead: sent },
    tip: () => ({
      title: `bucket ${index}`,
      facts: [
        [
          'holds',
          buckets
            .find((b) => b.index === index)
            ?.parameters.map((p) => p.name)
            .join(', ') ?? '',
        ],
        ['press', index === sent ? 'shows the bucket that is sent' : 'shows its chunks'],
      ],
    }),
  }));
}
