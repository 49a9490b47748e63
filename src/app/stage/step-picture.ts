/**
 * Derived data of a step that rooms need, computed once per trace: moments, exchanges and whose values they bring
 * where, each room's view at each moment, and the scales of values. Pure; facts-at.ts makes it.
 */
import type { SessionInfo } from '../../protocol/session-info';
import type { StepTrace } from '../../protocol/trace';
import type { Moment } from '../../trace/moments/moment';
import { momentsOf } from '../../trace/moments/moments';
import { placeBuckets } from './bucket-places';
import { type Contributors, contributorsOf, type Exchanges, exchangesOf } from './exchanges';
import { type StageWorks, stageWorks } from './pipeline-work';
import { type ProductSpec, productSpec, type ShapeOf, shapesOf } from './product-spec';
import { type RoomViews, roomViews } from './room-views';
import { scalesOf, type ValueScales } from './value-scales';

export interface StepPicture {
  readonly trace: StepTrace;
  readonly moments: readonly Moment[];
  /** Index of the moment of an event; -1 before the first. */
  momentOf(event: number): number;
  readonly exchanges: Exchanges;
  readonly contributors: Contributors;
  readonly views: RoomViews;
  readonly scales: ValueScales;
  /** Only for a pipeline. */
  readonly stageWork: StageWorks | undefined;
  /** The shapes and categories of a device's tensors. */
  shapesOf(device: number): ShapeOf;
  /** The event's product; undefined if its tensors are not known. */
  product(event: number): ProductSpec | undefined;
}

export function stepPicture(info: SessionInfo, trace: StepTrace): StepPicture {
  const moments = momentsOf(trace);
  const momentAt = new Int32Array(trace.events.length).fill(-1);
  for (const { index, events } of moments) for (const event of events) momentAt[event] = index;
  const exchanges = exchangesOf(info, trace, placeBuckets(info, trace));
  const shapes = shapesOf(info, trace);
  const products = new Map<number, ProductSpec | undefined>();
  return {
    trace,
    moments,
    momentOf: (event) => momentAt[event] ?? -1,
    exchanges,
    contributors: contributorsOf(trace, exchanges.carried),
    views: roomViews(trace, moments, info.worldSize, exchanges),
    scales: scalesOf(info, trace, exchanges.carried),
    stageWork: stageWorks(trace, moments),
    shapesOf: shapes,
    product(event) {
      const e = trace.events[event];
      if (!e) return undefined;
      if (!products.has(event)) products.set(event, productSpec(e, event, shapes(e.device)));
      return products.get(event);
    },
  };
}
