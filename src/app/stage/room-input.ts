/** What the scene of one room is made from. Types only; room-scene.ts and what it calls read it. */
import type { SessionInfo } from '../../protocol/session-info';
import type { Rect } from '../draw/geometry';
import type { BucketPlace, DevicePlace } from './devices';
import type { StageFacts } from './facts';
import type { RoomContent } from './room-content';
import type { TiledValues } from './tiles';

export interface RoomInput {
  readonly info: SessionInfo;
  readonly place: DevicePlace;
  readonly rect: Rect;
  readonly content: RoomContent;
  readonly buckets: readonly BucketPlace[];
  readonly facts: StageFacts;
  readonly tiledValues: TiledValues;
  /** Bytes that the full width of a memory bar stands for; the same in every room. */
  readonly memoryScale: number;
}
