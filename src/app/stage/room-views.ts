/**
 * The view of a room at a moment: the computing layer, the travelling chunks, the finished gradients, or the weights.
 * All rooms change their view together, when a moment begins. Computed once per trace, so that a frame only looks it
 * up. Pure.
 */
import type { DeviceIndex, StepTrace, TraceEvent } from '../../protocol/trace';
import { castOf } from '../../trace/buffer-words';
import type { Moment } from '../../trace/moments/moment';
import type { Exchange, Exchanges } from './exchanges';

export type RoomView =
  /** The weights (before the step begins, and after its update) or the gradients of all layers. */
  | { readonly shows: 'weights' | 'gradients' }
  /** The optimiser's step, or the clipping or scaling around it; `event`: its last event. */
  | { readonly shows: 'update' | 'clip'; readonly event: number }
  /** The filling or emptying of a bucket or another flat buffer; `event`: its first event. */
  | { readonly shows: 'bucket'; readonly event: number }
  /** For a pipeline rank: its weights, and the micro-batches that it keeps. */
  | { readonly shows: 'stage' }
  /** The operands and the result of one event. */
  | { readonly shows: 'product'; readonly event: number }
  | { readonly shows: 'chunks'; readonly exchange: Exchange };

export interface RoomViews {
  /** The view in a moment; -1: before the first. */
  at(moment: number, device: DeviceIndex): RoomView;
  /** The exchange of gradients that began last on the device, for the row below its layers. */
  wire(moment: number, device: DeviceIndex): Exchange | undefined;
  /** The view of a bucket's chunks, even while another bucket is sent. */
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
  phase === 'backward' && writes.some((w) => castOf(w).endsWith('weight.grad'));

interface Own {
  readonly e: TraceEvent;
  readonly index: number;
  readonly moment: number;
}

/** The event shown while a layer computes: the one that computes its gradient, else the layer's last. */
function leaders(own: readonly Own[]): ReadonlyMap<number, Own> {
  const found = new Map<number, Own>();
  for (const o of own) {
    if (!works(o.e)) continue;
    const held = found.get(o.moment);
    // In half precision the operator is shown, not the casts around it.
    if (held && converts(o.e) && !makesGradient(o.e)) continue;
    if (!held || converts(held.e) || !makesGradient(held.e)) found.set(o.moment, o);
  }
  return found;
}

/** The views of one device, one per event. */
function viewsOf(own: readonly Own[], exchanges: Exchanges): readonly RoomView[] {
  const leader = leaders(own);
  const products = new Map<number, RoomView>();
  const next = (from: number): Own | undefined => own.slice(from + 1).find(({ e }) => works(e));
  const lastWork = own.findLastIndex(({ e }) => works(e));
  const lastMoved = own.findLastIndex(({ e }) => e.phase === 'reduce');
  let view: RoomView = WEIGHTS;
  /** The view of the product that the filling of a bucket has replaced. */
  let worked: RoomView = WEIGHTS;
  let shown: TraceEvent | undefined;
  let ofAll: { readonly moment: number; readonly view: RoomView } | undefined;
  /** One view for all kernels of a moment. */
  const allOf = ({ index, moment }: Own, shows: 'update' | 'clip' | 'bucket'): RoomView => {
    if (ofAll?.moment !== moment) ofAll = { moment, view: { shows, event: index } };
    return ofAll.view;
  };
  const product = (o: Own | undefined): RoomView => {
    if (view.shows === 'bucket') view = worked;
    const lead = o && (leader.get(o.moment) ?? o);
    if (!lead) return view;
    // Kernels after a layer's gradient, which compute δ for the layer below, do not replace the gradient's view.
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
  /** The exchange of a copy is that of the transfers after or before it, if it has a buffer that the copy uses. */
  const beside = ({ e: { device, phase, reads, writes } }: Own, i: number): Exchange | undefined => {
    const near = [own.slice(i + 1).find(({ e }) => e.collective), own.slice(0, i).findLast(({ e }) => e.collective)];
    return near
      .flatMap((other) => (other?.e.phase === phase ? (exchanges.of(other.e) ?? []) : []))
      .find(({ rows }) => rows[device]?.some(({ buffer }) => reads.includes(buffer) || writes.includes(buffer)));
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
    else if (e.phase === 'step') view = view.shows === 'clip' ? view : GRADIENTS;
    else if (fillsBucket(e)) {
      if (view.shows === 'product') worked = view;
      view = allOf(o, 'bucket');
    } else if (ofBucket(e)) {
      // While layers still compute gradients, the bucket is only a row below them.
      if (i > lastWork) view = i === lastMoved && e.kind === 'compute' ? GRADIENTS : chunks(exchanges.of(e));
      else if (view.shows === 'bucket') view = worked;
    } else if (e.collective) view = chunks(exchanges.of(e));
    else if (e.kind === 'recv') view = product(next(i));
    else if (e.kind === 'compute') {
      const exchange = beside(o, i);
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
