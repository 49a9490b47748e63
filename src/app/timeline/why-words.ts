/**
 * Sentences about why a span began when it did, and why a device is idle: the rank it waited for, the rank that this
 * one waited for, and what took longer there. Pure; called by the selection's panel and by the table.
 */
import { at } from '../../base/invariant';
import { capital } from '../../trace/capital';
import type { Causes, Hold } from '../../trace/causes';
import type { CriticalPath } from '../../trace/critical-path';
import type { WaitChain } from '../../trace/wait-chain';
import { waitChain } from '../../trace/wait-chain';
import { deviceName, moduleWords } from '../../trace/words';
import { formatTime } from '../draw/format';
import { eventName } from '../lanes/event-label';
import type { IdleStretch } from './timeline-scene';

const MOST_HOPS = 3;
/** Work whose delay is at least this share of the lateness is named as the only cause. */
const NEARLY_ALL = 0.7;
const CLEARLY_SLOWER = 1.05;

/** The name of an event with its rank: 'forward of layer 2 on rank 0'. */
export function placedName({ trace }: Causes, event: number): string {
  const e = at(trace.events, event);
  return `${eventName(e)} on ${deviceName(trace, e.device)}`;
}

/** Sentences on what an event waited for; never empty. */
export function whyThen(causes: Causes, event: number): readonly string[] {
  const { trace, nothingUs } = causes;
  const chain = waitChain(causes, event);
  if (chain.hops.length > 0) return chainWords(causes, chain);
  const waitedUs = causes.waitedUs(event);
  const hold = causes.heldBy(event);
  if (!hold && waitedUs <= nothingUs) return ['It starts when the step starts.'];
  const name = hold && ownName(causes, event, hold);
  if (waitedUs <= nothingUs) {
    return [
      hold?.by === 'message'
        ? `It did not wait: the message from ${name} had already arrived.`
        : `It starts right after ${name}.`,
    ];
  }
  const time = formatTime(waitedUs);
  const startUs = at(causes.spans, event).startUs;
  if (!hold || startUs - hold.releasedUs > nothingUs) return [restWords(causes, event, waitedUs)];
  if (hold.by === 'port') {
    const by = at(trace.events, hold.event);
    const into = by.peer === at(trace.events, event).peer;
    const port = into
      ? `${deviceName(trace, by.peer ?? by.device)} was still receiving`
      : 'the sender was still sending';
    return [`It waited ${time}: ${port} (${name}), and a device takes one message at a time.`];
  }
  return [`Its queue was idle for ${time}, waiting for ${name}.`];
}

/** For a cell of a table: 'send chunk 2 on rank 3, for 3.2 µs'; '' if the event did not wait. */
export function waitedFor(causes: Causes, event: number): string {
  const waitedUs = causes.waitedUs(event);
  const hold = causes.heldBy(event);
  if (!hold || hold.by === 'queue') return '';
  const name = placedName(causes, hold.event);
  return waitedUs > causes.nothingUs ? `${name}, for ${formatTime(waitedUs)}` : name;
}

/** Words for an event that began later than its inputs were ready. */
function restWords({ trace, clock }: Causes, event: number, waitedUs: number): string {
  const time = formatTime(waitedUs);
  if (clock === 'measured') return `It waited ${time} for its turn: here the devices share one processor.`;
  return at(trace.events, event).collective
    ? `It waited ${time}: that is how long the collective takes to start.`
    : `Its queue had nothing to do for ${time} before that.`;
}

function ownName(causes: Causes, event: number, hold: Hold): string {
  const [here, other] = [at(causes.trace.events, event), at(causes.trace.events, hold.event)];
  return here.device === other.device ? `“${eventName(other)}”` : `“${placedName(causes, hold.event)}”`;
}

/** 'It waited 3 µs for rank 3, which waited for rank 2.', 'Cause: on rank 2, backward of layer 4 took 4 µs more.' */
export function chainWords(causes: Causes, chain: WaitChain, who = 'It'): readonly string[] {
  const { trace } = causes;
  const senders = chain.hops.map(({ send }) => deviceName(trace, at(trace.events, send).device));
  const [first, ...others] = senders;
  const hop = at(chain.hops, 0);
  const named = others.slice(0, MOST_HOPS - 1).map((name) => `, which waited for ${name}`);
  const far = others.length >= MOST_HOPS ? `, and so on back to ${senders.at(-1)}` : '';
  const what =
    hop.recv === chain.event
      ? `${who} waited ${formatTime(hop.waitedUs)}`
      : `${who} came after “${eventName(at(trace.events, hop.recv))}”, which waited ${formatTime(hop.waitedUs)}`;
  return [`${what} for ${first}${named.join('')}${far}.`, ...causeWords(causes, chain)];
}

function causeWords({ trace, nothingUs }: Causes, { cause, lateUs, most, slower }: WaitChain): readonly string[] {
  if (cause === undefined) return [];
  const e = at(trace.events, cause);
  const name = deviceName(trace, e.device);
  const label = eventName(e);
  if (lateUs === undefined || lateUs <= nothingUs || !most)
    return [`The work that it waited for came after “${label}” on ${name}.`];
  const work =
    most.module === ''
      ? `“${eventName(at(trace.events, most.event))}”`
      : `${most.phase} of ${moduleWords(most.module)}`;
  if (most.longerUs >= NEARLY_ALL * lateUs)
    return [`Cause: on ${name}, ${work} took ${formatTime(most.longerUs)} longer.`];
  const behind = `it is ${formatTime(lateUs)} behind at the end of “${label}”`;
  return slower !== undefined && slower > CLEARLY_SLOWER
    ? [`Cause: ${name} takes ${slower.toFixed(1)} times as long for the same work; ${behind}.`]
    : [`Cause: ${name}, because ${behind}. ${capital(work)} alone took ${formatTime(most.longerUs)} longer.`];
}

/** Sentences on why a stretch is idle. */
export function whyIdleThen(causes: Causes, stretch: IdleStretch): readonly string[] {
  const { trace } = causes;
  if (stretch.of === 'comm') {
    const chain = waitChain(causes, stretch.wait.next);
    const who = `The communication of ${deviceName(trace, stretch.wait.device)}`;
    return [
      ...(chain.hops.length > 0 ? chainWords(causes, chain, who) : whyThen(causes, stretch.wait.next)),
      'The device computes in the meantime, so this wait costs nothing unless it delays the end of the step.',
    ];
  }
  const reason = stretch.gap.reason();
  if (!reason) return [];
  const chain = reason.awaited === undefined ? undefined : waitChain(causes, reason.awaited);
  return [
    `${capital(reason.text)}.`,
    ...(reason.kind === 'bubble'
      ? ['Such a gap is called a bubble: this part of the model cannot continue without the other part.']
      : []),
    ...(chain && chain.hops.length > 1
      ? chainWords(causes, chain, 'That message')
      : chain && chain.hops.length === 1
        ? causeWords(causes, chain)
        : []),
  ];
}

const MOST_NAMED = 3;

/** 'Critical path: 94 µs of computing + 12 µs of messages = 106 µs, through rank 0 and rank 1.' */
export function pathWords({ trace }: Causes, path: CriticalPath): string {
  const parts = [
    `${formatTime(path.computeUs)} of computing`,
    ...(path.messageUs > 0 ? [`${formatTime(path.messageUs)} of messages`] : []),
    ...(path.waitsUs > 0 ? [`${formatTime(path.waitsUs)} of waiting`] : []),
  ];
  const devices = [...new Set(path.parts.map(({ event }) => at(trace.events, event).device))].sort((a, b) => a - b);
  const names = devices.map((device) => deviceName(trace, device));
  const where =
    names.length > MOST_NAMED
      ? `through ${names.length} devices`
      : `through ${names.slice(0, -1).join(', ')}${names.length > 1 ? ' and ' : ''}${names.at(-1)}`;
  return `${parts.join(' + ')} = ${formatTime(path.totalUs)}, ${where}. To shorten the step, shorten a span on the highlighted path.`;
}
