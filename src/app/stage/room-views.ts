/**
 * What a room shows at a moment: the layer that computes, the chunks that travel, the gradients that are ready, the
 * weights. All rooms change their content together, when a moment begins. Found once per trace, so that a frame only
 * looks it up. Pure.
 */
import type { DeviceIndex, StepTrace, TraceEvent } from '../../protocol/trace';
import type { Moment } from '../../trace/moments/moment';
import type { Exchange, Exchanges } from './exchanges';

export type RoomView =
  /** Weights of all layers: before the step begins, and after its update. */
  | { readonly shows: 'weights' | 'gradients' }
  /** The optimiser's step, or what happens to all gradients before it or to the scale behind it, by its last event. */
  | { readonly shows: 'update' | 'clip'; readonly event: number }
  /** A bucket, or another flat buffer, that is filled or emptied, by its first event. */
  | { readonly shows: 'bucket'; readonly event: number }
  /** Of a pipeline's rank: its weights, and what it keeps of each micro-batch. */
  | { readonly shows: 'stage' }
  /** The operands and the result of one event. */
  | { readonly shows: 'product'; readonly event: number }
  | { readonly shows: 'chunks'; readonly exchange: Exchange };

export interface RoomViews {
  /** In a moment; -1: before the first. */
  at(moment: number, device: DeviceIndex): RoomView;
  /** The exchange of gradients that has begun last on the device, for the row below its layers. */
  wire(moment: number, device: DeviceIndex): Exchange | undefined;
  /** The chunks of a bucket, whatever is sent. */
  ofBucket(index: number): RoomView | undefined;
}

const WEIGHTS: RoomView = { shows: 'weights' };
const GRADIENTS: RoomView = { shows: 'gradients' };
const STAGE: RoomView = { shows: 'stage' };

const WORK: ReadonlySet<TraceEvent['phase']> = new Set(['forward', 'loss', 'backward']);
const ofBucket = (e: TraceEvent): boolean => e.bucket !== undefined;
const works = (e: TraceEvent): boolean => e.kind === 'compute' && WORK.has(e.phase) && !ofBucket(e) && !copies(e);
const copies = ({ name }: TraceEvent): boolean =>
  /^(ops\/copy|comm\/(un)?flatten|ddp\/(un)?pack|fsdp\/|halves\/)/.test(name);
const fillsBucket = ({ kind, name, bucket }: TraceEvent): boolean =>
  kind === 'compute' &&
  (/^(ddp|comm)\/(un)?(pack|flatten)$|^fsdp\//.test(name) || (name === 'comm/scale' && bucket !== undefined));
const isUpdate = ({ kind, name }: TraceEvent): boolean =>
  kind === 'compute' && /^optim\/(?!accumulate-grad|grad-norm|clip-)/.test(name);
const clips = ({ kind, name }: TraceEvent): boolean => kind === 'compute' && /^optim\/(grad-norm|clip-)/.test(name);
const converts = ({ name }: TraceEvent): boolean => name.startsWith('precision/');
const makesGradient = ({ phase, writes }: TraceEvent): boolean =>
  phase === 'backward' && writes.some((w) => /weight(\.b?f16)?\.grad$/.test(w));

interface Own {
  readonly e: TraceEvent;
  readonly index: number;
  readonly moment: number;
}

/** The event that is looked at while a layer computes: the one that makes its gradient, else its last. */
function leaders(own: readonly Own[]): ReadonlyMap<number, Own> {
  const found = new Map<number, Own>();
  for (const o of own) {
    if (!works(o.e)) continue;
    const held = found.get(o.moment);
    // An operator in half precision is looked at, not the casts around it.
    if (held && converts(o.e) && !makesGradient(o.e)) continue;
    if (!held || converts(held.e) || !makesGradient(held.e)) found.set(o.moment, o);
  }
  return found;
}

/** The views of one device, one for each of its events. */
function viewsOf(own: readonly Own[], exchanges: Exchanges): readonly RoomView[] {
  const leader = leaders(own);
  const products = new Map<number, RoomView>();
  const next = (from: number): Own | undefined => own.slice(from + 1).find(({ e }) => works(e));
  const lastWork = own.findLastIndex(({ e }) => works(e));
  const lastMoved = own.findLastIndex(({ e }) => e.phase === 'reduce');
  let view: RoomView = WEIGHTS;
  /** The product that a bucket's filling has taken the place of. */
  let worked: RoomView = WEIGHTS;
  let shown: TraceEvent | undefined;
  let ofAll: { readonly moment: number; readonly view: RoomView } | undefined;
  /** Where a moment has several kernels, the first one stands for all. */
  const allOf = ({ index, moment }: Own, shows: 'update' | 'clip' | 'bucket'): RoomView => {
    if (ofAll?.moment !== moment) ofAll = { moment, view: { shows, event: index } };
    return ofAll.view;
  };
  const product = (o: Own | undefined): RoomView => {
    if (view.shows === 'bucket') view = worked;
    const lead = o && (leader.get(o.moment) ?? o);
    if (!lead) return view;
    // What follows the gradient of a layer, for the layer below it, leaves the gradient where it is.
    const isOfLayer = lead.e.phase === 'backward' && lead.e.module !== '' && !converts(lead.e);
    const same = isOfLayer && shown?.module === lead.e.module;
    if (same && shown?.phase === 'backward' && makesGradient(shown) && view.shows === 'product') return view;
    shown = lead.e;
    const known = products.get(lead.index) ?? { shows: 'product', event: lead.index };
    products.set(lead.index, known);
    return known;
  };
  const chunks = (exchange: Exchange | undefined): RoomView =>
    !exchange || (view.shows === 'chunks' && view.exchange === exchange) ? view : { shows: 'chunks', exchange };
  /** A copy goes with the transfers beside it. */
  const beside = (i: number): Exchange | undefined => {
    const phase = own[i]?.e.phase;
    const near = own.slice(i + 1).find(({ e }) => e.collective) ?? own.slice(0, i).findLast(({ e }) => e.collective);
    return near && near.e.phase === phase ? exchanges.of(near.e) : undefined;
  };
  return own.map((o, i) => {
    const { e } = o;
    if (e.action && !e.collective) view = STAGE;
    else if (works(e)) view = product(o);
    else if (isUpdate(e)) view = allOf(o, 'update');
    else if (clips(e)) view = allOf(o, 'clip');
    else if (e.kind === 'load' && e.phase !== 'step') view = product(next(i));
    else if (e.name === 'scaler/unscale') view = product(o);
    else if (e.name === 'scaler/update') view = allOf(o, 'clip');
    else if (e.phase === 'step') view = GRADIENTS;
    else if (fillsBucket(e)) {
      if (view.shows === 'product') worked = view;
      view = allOf(o, 'bucket');
    } else if (ofBucket(e)) {
      // While layers still compute their gradients, the bucket is a row below them.
      if (i > lastWork) view = i === lastMoved && e.kind === 'compute' ? GRADIENTS : chunks(exchanges.of(e));
      else if (view.shows === 'bucket') view = worked;
    } else if (e.collective) view = chunks(exchanges.of(e));
    else if (e.kind === 'recv') view = product(next(i));
    else if (e.kind === 'compute') {
      const exchange = beside(i);
      if (i === lastMoved && i > lastWork) view = exchange?.payload === 'gradient' ? GRADIENTS : WEIGHTS;
      else if (exchange) view = chunks(exchange);
      else if (e.phase === 'replicate') view = WEIGHTS;
    }
    return view;
  });
}

export function roomViews(
  trace: StepTrace,
  moments: readonly Moment[],
  devices: number,
  exchanges: Exchanges,
): RoomViews {
  const byDevice = Array.from({ length: devices }, (): Own[] => []);
  for (const { index: moment, events } of moments)
    for (const index of events) {
      const e = trace.events[index];
      if (e) byDevice[e.device]?.push({ e, index, moment });
    }
  const rooms = byDevice.map((own) => {
    const views = viewsOf(own, exchanges);
    const at: RoomView[] = [];
    const wires: (Exchange | undefined)[] = [];
    let [view, wire, i]: [RoomView, Exchange | undefined, number] = [WEIGHTS, undefined, 0];
    for (let moment = 0; moment < moments.length; moment++) {
      for (; i < own.length && (own[i]?.moment ?? 0) <= moment; i++) {
        const e = own[i]?.e;
        view = views[i] ?? view;
        if (e && ofBucket(e)) wire = exchanges.of(e) ?? wire;
      }
      at.push(view);
      wires.push(wire);
    }
    return { at, wires };
  });
  const tabs = new Map<number, RoomView>();
  return {
    at: (moment, device) => rooms[device]?.at[moment] ?? WEIGHTS,
    wire: (moment, device) => rooms[device]?.wires[moment],
    ofBucket(index) {
      const exchange = exchanges.ofBucket(index);
      const view: RoomView | undefined = tabs.get(index) ?? (exchange && { shows: 'chunks', exchange });
      if (view) tabs.set(index, view);
      return view;
    },
  };
}
