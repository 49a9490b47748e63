/**
 * The transport: play, pause, and steps by moment, round, phase, iteration and single event, on and back, over the kept
 * traces and past their end. At a slow pace it asks the session for one traced step at a time and walks the cursor over
 * its moments; at a fast one the session runs freely and the transport replays the newest trace, slowly enough to
 * follow and again and again. Playing moves the pace on (pace.ts). Before the first step of a DDP run it walks over
 * what the constructor sent, once; training does not wait for that. It talks to the session through StepSource alone.
 */
import type { ControlMessage } from '../../protocol/session';
import type { StepTrace } from '../../protocol/trace';
import type { Position } from '../../trace/moments/moment';
import { nextStop, previousStop, type Stride, stopsOf } from '../../trace/position';
import { type AppStore, isConstruct } from '../state/store';
import { type Pace, runsFree, speedAt } from './pace';
import { beginsWithConstruct, endOfGradients } from './positions';
import { createRates } from './rates';
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
  /** While it plays, too. */
  changePace(pace: Pace): void;
  /** On to the end of what comes next, into the next step where this one is done. */
  step(stride: Stride): Promise<void>;
  /** To the end of what was before. */
  stepBack(stride: Stride): void;
  stepIteration(): Promise<void>;
  seek(trace: number, event: number): void;
  /** What walks by hand is at its goal at once. */
  arrive(): void;
  /** Walks over what DDP's constructor sent, from its beginning. */
  showConstruct(): Promise<void>;
  /** After a start: runs one traced step and shows it up to where the parameters would change. */
  preview(): Promise<void>;
  /**
   * Trains as fast as it goes until the micro-batch has been traced, and pauses; false where the user, or the run,
   * stopped it before.
   */
  runTo(microBatch: number): Promise<boolean>;
  /** A trace came that nobody has asked for: while the session runs freely, and as the last word of a pause. */
  traceArrived(): void;
  /** Stops walking and playing without a word to the session. */
  halt(): void;
  /** The session has stopped running by itself: halts, and shows where the run is, now and later. */
  settle(): void;
  /** Ranks stand still: nothing flies any more, and the run may still go on by itself. */
  stand(): void;
}

/** How long a step by hand takes. */
const HAND_SECONDS = 0.5;
/** What a step by hand takes at most, however many moments it goes over. */
const MOST_HAND_SECONDS = 1.5;

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
    const { cursor, cursorFraction, seek } = store.getState();
    if (cursor && (cursor.event < endOf(cursor.trace) || cursorFraction < 1)) return cursor;
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

  const walkByHand = async (mine: number, stride: Stride | 'step'): Promise<void> => {
    const cursor = await onward();
    const { cursorFraction, traces } = store.getState();
    const trace = cursor && traces[cursor.trace];
    if (mine !== ticket || !trace) return;
    const position: Position = { event: cursor.event, fraction: cursorFraction };
    const goal = stride === 'step' ? endOf(cursor.trace) : nextStop(trace, position, stride);
    const moments = stopsOf(trace, 'moment').filter((stop) => stop > cursor.event && stop <= goal).length;
    const seconds = Math.min(Math.max(1, moments) * HAND_SECONDS, MOST_HAND_SECONDS);
    const walk = walker.walkTo(goal, (goal - cursor.event) / seconds);
    // A single event is no motion: in the midst of a moment all of its events move.
    if (walker.reducedMotion() || stride === 'event') walker.finish();
    await walk;
  };

  const byHand = async (stride: Stride): Promise<void> => {
    const mine = takeOver();
    try {
      constructFirst();
      await walkByHand(mine, stride);
    } catch (error) {
      source.report(error);
    }
  };

  /** To the end of a step: the constructor is none, and the first one follows it at once. */
  const iterationByHand = async (): Promise<void> => {
    const mine = takeOver();
    try {
      stepFollows = constructFirst();
      if (stepFollows) await walkByHand(mine, 'step');
      if (mine !== ticket) return;
      stepFollows = false;
      await walkByHand(mine, 'step');
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
    store.getState().setGoingTo(undefined);
    ticket++;
    return ticket;
  };

  const runFreely = () => {
    const speed = speedAt(store.getState().pace);
    free = true;
    source.control({ type: 'play', stepsPerSecond: speed.kind === 'free' ? speed.perSecond : 0 });
  };

  const rates = createRates(store, () => {
    if (free) runFreely();
  });

  const playSlowly = async (mine: number): Promise<void> => {
    try {
      while (mine === ticket && !runsFree(store.getState().pace)) {
        const cursor = await onward();
        if (mine !== ticket || !cursor) return;
        // The next step runs while this one is shown.
        if (cursor.trace === last()) traceStep().catch(() => undefined);
        await walker.walkTo(endOf(cursor.trace), rates.ofPace(cursor.trace));
      }
      if (mine === ticket) playFreely(mine);
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

  /** The command whose replay is going on. */
  let replays: number | undefined;
  /** The newest trace from its beginning; where nothing newer has come meanwhile, the same again. */
  const replay = async (mine: number): Promise<void> => {
    if (replays === mine) return;
    replays = mine;
    for (let arrived = true; arrived && mine === ticket && endOf(last()) >= 0; ) {
      store.getState().seek(last(), -1);
      arrived = await walker.walkTo(endOf(last()), rates.ofReplay(last()));
    }
    // Who stopped it may have begun another one.
    if (replays === mine) replays = undefined;
  };
  const walkOverConstruct = () => walker.walkTo(endOf(0), rates.ofReplay(0));

  const playFreely = (mine: number, construct = false): void => {
    (construct ? walkOverConstruct() : Promise.resolve()).then(() => replay(mine)).catch(source.report);
    // A step still being traced must end before the session may run freely.
    (step ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        if (mine === ticket) runFreely();
      })
      .catch(source.report);
  };

  const play = () => {
    const slow = !runsFree(store.getState().pace);
    const slowsDown = free && slow;
    halt();
    if (slowsDown) {
      source.control({ type: 'pause' });
      store.getState().seek(last(), endOf(last()));
    }
    const begins = constructFirst();
    store.getState().setState('playing');
    if (slow) void playSlowly(ticket);
    else playFreely(ticket, begins);
  };

  const halt = () => {
    ticket++;
    free = false;
    following = false;
    stepFollows = false;
    store.getState().setGoingTo(undefined);
    walker.stop();
  };

  const hasTrace = (microBatch: number): boolean =>
    store.getState().traces.some((trace) => trace.microBatch === microBatch && !isConstruct(trace));

  /** False where it was stopped before. */
  const trainUntil = async (microBatch: number, mine: number): Promise<boolean> => {
    const { setState, setGoingTo } = store.getState();
    setGoingTo(microBatch);
    setState('playing');
    free = true;
    // After a lost device the session may be on its way there by itself.
    await source.idle();
    if (mine !== ticket) return false;
    source.control({ type: 'play', stepsPerSecond: 0, until: microBatch });
    await source.idle();
    if (mine !== ticket) return false;
    free = false;
    setGoingTo(undefined);
    setState('paused');
    return true;
  };

  return {
    play,
    changePace(pace) {
      const before = store.getState().pace;
      store.getState().setPace(pace);
      if (store.getState().state !== 'playing' || store.getState().goingTo !== undefined) return;
      if (runsFree(before) !== runsFree(pace)) play();
      else if (free) runFreely();
    },
    pause() {
      const wasFree = free;
      takeOver();
      store.getState().setState('paused');
      if (wasFree) toLiveEdge();
    },
    step: byHand,
    stepIteration: iterationByHand,
    stepBack(stride) {
      takeOver();
      following = false;
      const { cursor, seek, traces } = store.getState();
      const trace = cursor && traces[cursor.trace];
      if (!trace) return;
      if (cursor.event >= 0) seek(cursor.trace, previousStop(trace, cursor.event, stride));
      else if (cursor.trace > 0) seek(cursor.trace - 1, endOf(cursor.trace - 1));
    },
    seek(trace, event) {
      takeOver();
      following = false;
      store.getState().seek(trace, event);
    },
    arrive() {
      if (store.getState().state !== 'playing' && !previewing) walker.finish();
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
      await walker.walkTo(endOfGradients(events), rates.ofPreview(last()));
      if (mine === ticket) previewing = false;
    },
    async runTo(microBatch) {
      const mine = takeOver();
      following = false;
      const ahead = !hasTrace(microBatch) && store.getState().microBatch < microBatch;
      if (ahead && !(await trainUntil(microBatch, mine))) return false;
      if (!hasTrace(microBatch) && store.getState().microBatch === microBatch) await traceStep();
      return mine === ticket && hasTrace(microBatch);
    },
    traceArrived() {
      if (following && !free) toLiveEdge();
      // Where nothing had run yet, or ranks stood still, there was nothing to replay.
      else if (store.getState().goingTo !== undefined) store.getState().seek(last(), endOf(last()));
      else if (free) replay(ticket).catch(source.report);
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
