/** What the scene of one room is made from. Types only; room-scene.ts and tile-scene.ts read it. */
import type { SessionInfo } from '../../protocol/session';
import type { Rect } from '../draw/geometry';
import type { BucketPlace, DevicePlace } from './devices';
import type { StageFacts } from './facts';
import type { RoomLayout } from './room-layout';
import type { TiledValues } from './tiles';

export interface RoomInput {
  readonly info: SessionInfo;
  readonly place: DevicePlace;
  readonly rect: Rect;
  readonly layout: RoomLayout;
  readonly bucket: BucketPlace | undefined;
  readonly buckets: number;
  readonly facts: StageFacts;
  readonly tiledValues: TiledValues;
  /** Bytes that the full width of a memory bar stands for; the same in every room. */
  readonly memoryScale: number;
}
