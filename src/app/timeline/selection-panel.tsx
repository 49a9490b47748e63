/**
 * The selection on the timeline, in words: for a span its time, bytes and flops, with buttons for the events that it
 * waited for and the events that waited for it; for a gap its reason.
 */
import { at } from '../../base/invariant';
import type { Causes } from '../../trace/causes';
import { deviceName } from '../../trace/words';
import { formatBytes, formatCount, formatTime } from '../draw/format';
import { bottom, type Rect, right } from '../draw/geometry';
import { eventName } from '../lanes/event-label';
import type { Selection } from './selection';
import styles from './selection-panel.module.css';
import { placedName, whyIdleThen, whyThen } from './why-words';

const MOST_LINKS = 4;
const MARGIN = 10;
const LOWEST = 120;
const BESIDE_NAMES = 100;

interface SelectionPanelProps {
  readonly causes: Causes;
  readonly selection: Selection;
  /** The side on which the panel covers the lanes; the caller decides. */
  readonly side: 'left' | 'right';
  /**
   * The rectangle of the lanes; if they are lower than the panel, the panel scrolls, so that it never covers the tools.
   */
  readonly lanes: Rect;
  readonly onSelect: (event: number) => void;
  readonly onClose: () => void;
}

export function SelectionPanel({ causes, selection, side, lanes, onSelect, onClose }: SelectionPanelProps) {
  const place = {
    bottom: Math.max(MARGIN, window.innerHeight - bottom(lanes) + MARGIN),
    maxHeight: Math.max(LOWEST, Math.min(bottom(lanes), window.innerHeight) - lanes.y - MARGIN),
    ...(side === 'right' ? { right: window.innerWidth - right(lanes) + 2 * MARGIN } : { left: lanes.x + BESIDE_NAMES }),
  };
  return (
    <section className={styles['panel']} style={place} aria-label="Selected on the timeline">
      <button type="button" className={styles['close']} aria-label="Select nothing" onClick={onClose}>
        ×
      </button>
      {selection.kind === 'event' ? (
        <Span causes={causes} event={selection.event} onSelect={onSelect} />
      ) : (
        <Idle causes={causes} stretch={selection.stretch} onSelect={onSelect} />
      )}
    </section>
  );
}

interface PartProps {
  readonly causes: Causes;
  readonly onSelect: (event: number) => void;
}

function heading(causes: Causes, event: number): string {
  const { collective, bucket } = at(causes.trace.events, event);
  if (collective?.round === undefined) return '';
  const of = bucket === undefined ? '' : ` of bucket ${bucket}`;
  return `, round ${collective.round + 1}${collective.rounds === undefined ? '' : ` of ${collective.rounds}`}${of}`;
}

function Span({ causes, event, onSelect }: PartProps & { readonly event: number }) {
  const { trace, spans } = causes;
  const e = at(trace.events, event);
  const { startUs, endUs } = at(spans, event);
  const towards = e.peer === undefined ? '' : ` ${e.kind === 'send' ? 'to' : 'from'} ${deviceName(trace, e.peer)}`;
  const startingUs = causes.clock === 'modelled' ? (trace.modelled[event]?.startingUs ?? 0) : 0;
  return (
    <>
      <h3>
        {deviceName(trace, e.device)}
        {heading(causes, event)}
        <span>
          : {eventName(e)}
          {towards}
          {e.kind === 'compute' && ` (${e.name})`}
        </span>
      </h3>
      {whyThen(causes, event).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <dl>
        <Fact name="start" value={formatTime(startUs)} />
        <Fact name="duration" value={formatTime(endUs - startUs)} />
        {startingUs > 0 && <Fact name="of it to start" value={formatTime(startingUs)} />}
        <Fact name="bytes" value={formatBytes(e.bytes)} />
        {e.kind === 'compute' && <Fact name="flops" value={formatCount(e.flops)} />}
      </dl>
      <Links name="Waited for" causes={causes} events={causesOf(causes, event)} onSelect={onSelect} />
      <Links name="Waited for it" causes={causes} events={effectsOf(causes, event)} onSelect={onSelect} />
    </>
  );
}

/** The events that an event needed, the latest first. */
function causesOf(causes: Causes, event: number): readonly number[] {
  const hold = causes.heldBy(event);
  const needs = [...causes.needs(event)].sort((a, b) => at(causes.spans, b).endUs - at(causes.spans, a).endUs);
  return hold ? [hold.event, ...needs.filter((need) => need !== hold.event)] : needs;
}

/** The events that could continue because of it, then other events that needed it. */
const effectsOf = (causes: Causes, event: number): readonly number[] => [
  ...new Set([...causes.heldUp(event), ...causes.neededBy(event)]),
];

function Idle({
  causes,
  stretch,
  onSelect,
}: PartProps & { readonly stretch: Extract<Selection, { kind: 'idle' }>['stretch'] }) {
  const { startUs, endUs, device } = stretch.of === 'comm' ? stretch.wait : stretch.gap;
  const reason = stretch.of === 'device' ? stretch.gap.reason() : undefined;
  const name = deviceName(causes.trace, device);
  const next = stretch.of === 'comm' ? stretch.wait.next : reason?.next;
  return (
    <>
      <h3>{stretch.of === 'comm' ? `Why does ${name}’s communication wait here?` : `Why is ${name} idle here?`}</h3>
      {whyIdleThen(causes, stretch).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <dl>
        <Fact name="from" value={formatTime(startUs)} />
        <Fact name="for" value={formatTime(endUs - startUs)} />
      </dl>
      {reason?.awaited !== undefined && (
        <Links name="Waits for" causes={causes} events={[reason.awaited]} onSelect={onSelect} />
      )}
      {next !== undefined && next !== reason?.awaited && (
        <Links name="Goes on with" causes={causes} events={[next]} onSelect={onSelect} />
      )}
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Links({
  name,
  causes,
  events,
  onSelect,
}: PartProps & { readonly name: string; readonly events: readonly number[] }) {
  const shown = events.slice(0, MOST_LINKS);
  return (
    <fieldset className={styles['links']}>
      <legend>{name}</legend>
      {shown.map((event) => (
        <button type="button" key={event} onClick={() => onSelect(event)}>
          {placedName(causes, event)}
        </button>
      ))}
      {events.length === 0 && <span>nothing</span>}
      {events.length > MOST_LINKS && <span>and {events.length - MOST_LINKS} more</span>}
    </fieldset>
  );
}
