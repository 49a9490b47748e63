/**
 * The transport: play, pause, and steps by moment, round, phase, iteration and single event, on and back, over the kept
 * traces and past their end. This file decides how commands follow each other; other files carry them out: playing
 * (playing.ts), stepping (by-hand.ts), and what follows the cursor (course.ts). Playing moves the pace on (pace.ts). It
 * talks to the session through StepSource alone.
 */
import type { Stride } from '../../trace/position';
import { type Pace, runsFree } from '../pace/pace';
import type { AppStore } from '../state/store';
import { createByHand } from './by-hand';
import { createCourse } from './course';
import { createPlaying } from './playing';
import type { StepSource } from './step-source';
import type { UnderWay } from './under-way';
import { createRates } from './walk-speed';
import type { Walker } from './walker';

export interface TransportControls {
  play(): void;
  pause(): void;
  /** Changes the pace, even while playing. */
  changePace(pace: Pace): void;
  /** Moves to the end of the next event, moment, round, phase or step; into the next step if this one is done. */
  step(stride: Stride): Promise<void>;
  /** Moves back to the end of the previous one. */
  stepBack(stride: Stride): void;
  stepIteration(): Promise<void>;
  seek(trace: number, event: number): void;
  /** Ends a step by hand at its goal at once. */
  arrive(): void;
  /** Replays DDP's constructor from its beginning. */
  showConstruct(): Promise<void>;
  /**
   * After a start: runs one traced step and shows it up to its last moment, where the optimiser changes the parameters.
   * The cursor rests inside that moment, so the step does not count as done, and Step or Play ends it. `bring`: puts
   * the step into the store; left out, the session runs it.
   */
  preview(bring?: () => Promise<void>): Promise<void>;
  /**
   * Trains at full speed until the micro-batch has been traced, then pauses; false if the user or the run stopped
   * before.
   */
  runTo(microBatch: number): Promise<boolean>;
  /** An unrequested trace has arrived: while the session runs freely, and at the end of a pause. */
  traceArrived(): void;
  /** Stops walking and playing without telling the session. */
  halt(): void;
  /** The session has stopped by itself: halts, and shows where the run is, now and later. */
  settle(): void;
  /** Ranks hang: stops all motion; the run may still continue by itself. */
  stand(): void;
}

/** How far the last event of the first step is when the page rests before Play: nearly, but not quite, done. */
const UNDER_WAY = 0.9;

/** Its parts, and the two ways in which one command ends another; the commands themselves are short. */
export function createTransport(store: AppStore, walker: Walker, source: StepSource): TransportControls {
  const under: UnderWay = { ticket: 0, free: false, following: false, previewing: false };
  const course = createCourse(store, source, under);
  const { last, endOf } = course;
  const rates = createRates(store, () => {
    if (under.free) playing.runFreely();
  });
  const byHand = createByHand({ store, walker, source, course, under });
  const playing = createPlaying({ store, walker, source, course, rates, under });

  /** Ends the current command: a walk by hand jumps to its goal, so that quick presses lose no step. */
  const takeOver = (): number => {
    const { state, setState } = store.getState();
    if (state === 'playing') {
      if (under.free) source.control({ type: 'pause' });
      under.free = false;
      walker.stop();
      setState('paused');
    } else if (under.previewing) walker.stop();
    else walker.finish();
    byHand.finish();
    under.previewing = false;
    store.getState().setGoingTo(undefined);
    under.ticket++;
    return under.ticket;
  };

  const halt = () => {
    under.ticket++;
    under.free = false;
    under.following = false;
    byHand.forget();
    store.getState().setGoingTo(undefined);
    walker.stop();
  };

  /** The user moves the cursor elsewhere. */
  const leave = () => {
    takeOver();
    under.following = false;
  };

  const toLiveEdge = () => {
    course.toEndOf(last());
    under.following = true;
  };

  const play = () => {
    const slow = !runsFree(store.getState().pace);
    const slowsDown = under.free && slow;
    halt();
    if (slowsDown) {
      source.control({ type: 'pause' });
      course.toEndOf(last());
    }
    const begins = course.constructFirst();
    store.getState().setState('playing');
    if (slow) void playing.slowly(under.ticket);
    else playing.freely(under.ticket, begins);
  };

  return {
    play,
    changePace(pace) {
      const before = store.getState().pace;
      store.getState().setPace(pace);
      if (store.getState().state !== 'playing' || store.getState().goingTo !== undefined) return;
      if (runsFree(before) !== runsFree(pace)) play();
      else if (under.free) playing.runFreely();
    },
    pause() {
      const wasFree = under.free;
      takeOver();
      store.getState().setState('paused');
      if (wasFree) toLiveEdge();
    },
    step: (stride) => byHand.step(takeOver(), stride),
    stepIteration: () => byHand.iteration(takeOver()),
    stepBack(stride) {
      leave();
      byHand.back(stride);
    },
    seek(trace, event) {
      leave();
      store.getState().seek(trace, event);
    },
    arrive() {
      if (store.getState().state !== 'playing' && !under.previewing) walker.finish();
    },
    async showConstruct() {
      takeOver();
      course.toConstruct();
      await walker.walkTo(endOf(0), rates.ofReplay(0));
    },
    async preview(bring = course.traceStep) {
      halt();
      const mine = under.ticket;
      await bring();
      if (mine !== under.ticket || last() < 0) return;
      store.getState().seek(last(), -1);
      under.previewing = true;
      await walker.walkTo(endOf(last()) - 1 + UNDER_WAY, rates.ofPreview(last()));
      if (mine === under.ticket) under.previewing = false;
    },
    async runTo(microBatch) {
      leave();
      course.pastConstruct();
      const mine = under.ticket;
      const ahead = !course.hasTrace(microBatch) && store.getState().microBatch < microBatch;
      if (ahead && !(await playing.trainUntil(microBatch, mine))) return false;
      if (!course.hasTrace(microBatch) && store.getState().microBatch === microBatch) await course.traceStep();
      return mine === under.ticket && course.hasTrace(microBatch);
    },
    traceArrived() {
      if (under.following && !under.free) toLiveEdge();
      // If nothing had run yet, or ranks hung, there was nothing to replay.
      else if (store.getState().goingTo !== undefined) course.toEndOf(last());
      else if (under.free) playing.replay(under.ticket);
    },
    halt,
    settle() {
      halt();
      toLiveEdge();
    },
    stand() {
      walker.stop();
      course.toEndOf(last());
    },
  };
}
