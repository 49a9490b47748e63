/** The input of the scene of one room. Types only; read by room-scene.ts and the functions that it calls. */
import type { SessionInfo } from '../../protocol/session-info';
import type { Rect } from '../draw/geometry';
import type { BucketPlace } from './bucket-places';
import type { DevicePlace } from './devices';
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
  /** The bytes that a memory bar's full width represents; the same in every room. */
  readonly memoryScale: number;
}
