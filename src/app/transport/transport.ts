/**
 * The transport: play, pause, and steps by event, phase and iteration, forward and back, over the kept traces and past
 * their end. At a slow speed it asks the session for one traced step at a time and walks the cursor over its events; at
 * a fast one the session runs freely and the player walks over the newest trace that came. Before the first step of a
 * DDP run it walks over what the constructor sent, once; training does not wait for that. It talks to the session
 * through StepSource alone.
 */
import type { ControlMessage } from '../../protocol/session';
import type { StepTrace } from '../../protocol/trace';
import { nextPhase } from '../../trace/position';
import type { AppStore } from '../state/store';
import { beginsWithConstruct, endOfGradients } from './positions';
import { speedAt } from './speeds';
import type { Walker } from './walker';

export interface StepSource {
  /** Runs one step; resolves when its trace stands in the store. */
  traceStep(): Promise<void>;
  control(message: ControlMessage): void;
  /** Resolves when the session has stopped running freely. */
  idle(): Promise<void>;
  report(error: unknown): void;
}

export interface Transport {
  play(): void;
  pause(): void;
  stepEvent(): Promise<void>;
  stepBack(): void;
  stepPhase(): Promise<void>;
  stepIteration(): Promise<void>;
  seek(trace: number, event: number): void;
  /** Walks over what DDP's constructor sent, from its beginning. */
  showConstruct(): Promise<void>;
  /** After a start: runs one traced step and shows it up to where the parameters would change. */
  preview(): Promise<void>;
  /** A trace came that nobody has asked for: while the session runs freely, and as the last word of a pause. */
  traceArrived(): void;
  /** Stops walking and playing without a word to the session. */
  halt(): void;
  /** The session has stopped running by itself: halts, and shows where the run is, now and later. */
  settle(): void;
  /** Ranks stand still: nothing flies any more, and the run may still go on by itself. */
  stand(): void;
}

const PREVIEW_EVENTS_PER_SECOND = 30;
/** A free-running session's sample is walked in about this time, a step by hand in the other. */
const SHOWN_SECONDS = 1.6;
const HAND_SECONDS = 0.5;

export function createTransport(store: AppStore, walker: Walker, source: StepSource): Transport {
  /** Every command of the user takes a new ticket; loops of an older one end. */
  let ticket = 0;
  let free = false;
  /** The cursor stands behind all that ran, and stays there when a trace comes, until the user goes elsewhere. */
  let following = false;
  let previewing = false;
  /** What DDP's constructor sent, once it has been on the stage. */
  let constructShown: StepTrace | undefined;
  /** "Step iteration" walks over the constructor, and the step that was asked for comes after it. */
  let stepFollows = false;
  let step: Promise<void> | undefined;

  const traceStep = (): Promise<void> => {
    step ??= source
      .idle()
      .then(() => source.traceStep())
      .finally(() => {
        step = undefined;
      });
    return step;
  };
  const last = () => store.getState().traces.length - 1;
  const endOf = (trace: number) => (store.getState().traces[trace]?.events.length ?? 0) - 1;

  /** The cursor's trace and event, moved on into the next trace, which is run if need be, when this one is done. */
  const onward = async (): Promise<{ trace: number; event: number } | undefined> => {
    const { cursor, seek } = store.getState();
    if (cursor && cursor.event < endOf(cursor.trace)) return cursor;
    if (!cursor || cursor.trace === last()) {
      // A pause ends with the trace of the step that training has reached: what comes next is the one after it.
      await source.idle();
      following = false;
      await traceStep();
    }
    const now = store.getState().cursor;
    if (!now) return undefined;
    if (now.event >= endOf(now.trace) && now.trace < last()) seek(now.trace + 1, -1);
    return store.getState().cursor;
  };

  /** Puts what DDP's constructor sent on the stage, and the cursor before it. */
  const toConstruct = () => {
    constructShown = store.getState().info?.construct;
    store.getState().showConstruct();
  };

  /** Whether a command that goes on from here shows the constructor first, which then is on the stage. */
  const constructFirst = (): boolean => {
    if (!beginsWithConstruct(store.getState(), constructShown)) return false;
    toConstruct();
    return true;
  };

  const walkByHand = async (mine: number, goalOf: (trace: number, next: number) => number): Promise<void> => {
    const cursor = await onward();
    if (mine !== ticket || !cursor) return;
    const goal = goalOf(cursor.trace, cursor.event + 1);
    const walk = walker.walkTo(goal, (goal - cursor.event) / HAND_SECONDS);
    if (walker.reducedMotion()) walker.finish();
    await walk;
  };

  const byHand = async (goalOf: (trace: number, next: number) => number): Promise<void> => {
    const mine = takeOver();
    try {
      constructFirst();
      await walkByHand(mine, goalOf);
    } catch (error) {
      source.report(error);
    }
  };

  /** To the end of a step: the constructor is none, and the first one follows it at once. */
  const iterationByHand = async (): Promise<void> => {
    const mine = takeOver();
    try {
      stepFollows = constructFirst();
      if (stepFollows) await walkByHand(mine, endOf);
      if (mine !== ticket) return;
      stepFollows = false;
      await walkByHand(mine, endOf);
    } catch (error) {
      stepFollows = false;
      source.report(error);
    }
  };

  /** Ends what is under way: a walk by hand jumps to its goal, so that quick presses lose no step. */
  const takeOver = (): number => {
    const { state, setState } = store.getState();
    if (state === 'playing') {
      if (free) source.control({ type: 'pause' });
      free = false;
      walker.stop();
      setState('paused');
    } else if (previewing) walker.stop();
    else walker.finish();
    if (stepFollows && last() > 0) store.getState().seek(1, endOf(1));
    stepFollows = false;
    previewing = false;
    ticket++;
    return ticket;
  };

  const playSlowly = async (mine: number): Promise<void> => {
    try {
      while (mine === ticket) {
        const cursor = await onward();
        if (mine !== ticket || !cursor) return;
        // The next step runs while this one is shown.
        if (cursor.trace === last()) traceStep().catch(() => undefined);
        const speed = speedAt(store.getState().speed);
        await walker.walkTo(endOf(cursor.trace), speed.kind === 'events' ? speed.perSecond : PREVIEW_EVENTS_PER_SECOND);
      }
    } catch (error) {
      if (mine !== ticket) return;
      store.getState().setState('paused');
      source.report(error);
    }
  };

  const toLiveEdge = () => {
    store.getState().seek(last(), endOf(last()));
    following = true;
  };

  const showNewest = async (mine: number): Promise<void> => {
    const { seek } = store.getState();
    let shown = -1;
    while (mine === ticket && store.getState().traces[last()]?.microBatch !== shown) {
      shown = store.getState().traces[last()]?.microBatch ?? -1;
      seek(last(), -1);
      await walker.walkTo(endOf(last()), endOf(last()) / SHOWN_SECONDS);
    }
  };
  let showing = false;
  /** One walk at a time over what comes while the session runs freely. */
  const show = (walk: () => Promise<unknown>): void => {
    if (showing) return;
    showing = true;
    walk()
      .finally(() => {
        showing = false;
      })
      .catch(source.report);
  };
  const walkOverConstruct = () => walker.walkTo(endOf(0), endOf(0) / SHOWN_SECONDS);

  const halt = () => {
    ticket++;
    free = false;
    following = false;
    stepFollows = false;
    walker.stop();
  };

  return {
    play() {
      const speed = speedAt(store.getState().speed);
      const slowsDown = free && speed.kind === 'events';
      halt();
      if (slowsDown) {
        source.control({ type: 'pause' });
        store.getState().seek(last(), endOf(last()));
      }
      const begins = constructFirst();
      store.getState().setState('playing');
      if (speed.kind === 'events') {
        void playSlowly(ticket);
        return;
      }
      const mine = ticket;
      if (begins) show(() => walkOverConstruct().then(() => showNewest(mine)));
      // A step still being traced must end before the session may run freely.
      (step ?? Promise.resolve())
        .catch(() => undefined)
        .then(() => {
          if (mine !== ticket) return;
          free = true;
          source.control({ type: 'play', stepsPerSecond: speed.perSecond });
        })
        .catch(source.report);
    },
    pause() {
      const wasFree = free;
      takeOver();
      store.getState().setState('paused');
      if (wasFree) toLiveEdge();
    },
    stepEvent: () => byHand((_, next) => next),
    stepPhase: () =>
      byHand((trace, next) => {
        const kept = store.getState().traces[trace];
        return kept ? nextPhase(kept, next - 1) : next;
      }),
    stepIteration: iterationByHand,
    stepBack() {
      takeOver();
      following = false;
      const { cursor, seek } = store.getState();
      if (!cursor) return;
      if (cursor.event >= 0) seek(cursor.trace, cursor.event - 1);
      else if (cursor.trace > 0) seek(cursor.trace - 1, endOf(cursor.trace - 1));
    },
    seek(trace, event) {
      takeOver();
      following = false;
      store.getState().seek(trace, event);
    },
    async showConstruct() {
      takeOver();
      toConstruct();
      await walkOverConstruct();
    },
    async preview() {
      halt();
      const mine = ticket;
      await traceStep();
      const { traces, seek } = store.getState();
      const events = traces.at(-1)?.events;
      if (mine !== ticket || !events) return;
      seek(last(), -1);
      previewing = true;
      await walker.walkTo(endOfGradients(events), PREVIEW_EVENTS_PER_SECOND);
      if (mine === ticket) previewing = false;
    },
    traceArrived() {
      if (following && !free) toLiveEdge();
      if (free) show(() => showNewest(ticket));
    },
    halt,
    settle() {
      halt();
      toLiveEdge();
    },
    stand() {
      walker.stop();
      store.getState().seek(last(), endOf(last()));
    },
  };
}
