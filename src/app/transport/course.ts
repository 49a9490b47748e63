/**
 * Determines what follows the cursor: once, before the first step, the trace of DDP's constructor; then the kept
 * traces; and after them a step that runs now. Moves the cursor from trace to trace, but not within one.
 */
import type { StepTrace } from '../../protocol/trace';
import type { Cursor } from '../state/app-state';
import { isConstruct } from '../state/kept-run';
import type { AppStore } from '../state/store';
import { beginsWithConstruct } from './positions';
import type { StepSource } from './step-source';
import type { UnderWay } from './under-way';

export interface Course {
  /** Index of the newest trace; -1: none. */
  last(): number;
  /** Index of a trace's last event. */
  endOf(trace: number): number;
  toEndOf(trace: number): void;
  hasTrace(microBatch: number): boolean;
  /** Runs one step; calls while it runs share the same step. */
  traceStep(): Promise<void>;
  /** Resolves when no step is running, even if it failed. */
  traced(): Promise<void>;
  /** The cursor's place; if its trace is done, the beginning of the next trace, which is run if necessary. */
  onward(): Promise<Cursor | undefined>;
  /** Puts the trace of DDP's constructor on the stage, and the cursor at its start. */
  toConstruct(): void;
  /** Whether a command from here must show the constructor first; if so, puts it on the stage. */
  constructFirst(): boolean;
  /** Marks the constructor as shown, because the cursor was led past it. */
  pastConstruct(): void;
}

export function createCourse(store: AppStore, source: StepSource, under: UnderWay): Course {
  /** The trace of DDP's constructor, once the stage has shown it. */
  let constructShown: StepTrace | undefined;
  let step: Promise<void> | undefined;

  const last = () => store.getState().traces.length - 1;
  const endOf = (trace: number) => (store.getState().traces[trace]?.events.length ?? 0) - 1;
  const traceStep = (): Promise<void> => {
    step ??= source
      .idle()
      .then(() => source.traceStep())
      .finally(() => {
        step = undefined;
      });
    return step;
  };
  const toConstruct = () => {
    constructShown = store.getState().info?.construct;
    store.getState().showConstruct();
  };

  return {
    last,
    endOf,
    toEndOf: (trace) => store.getState().seek(trace, endOf(trace)),
    hasTrace: (microBatch) =>
      store.getState().traces.some((trace) => trace.microBatch === microBatch && !isConstruct(trace)),
    traceStep,
    traced: () => (step ?? Promise.resolve()).catch(() => undefined),
    async onward() {
      const { cursor, cursorFraction, seek } = store.getState();
      if (cursor && (cursor.event < endOf(cursor.trace) || cursorFraction < 1)) return cursor;
      if (!cursor || cursor.trace === last()) {
        // A pause ends with the trace of the step that training has reached, so wait for it: the next step follows it.
        await source.idle();
        under.following = false;
        await traceStep();
      }
      const now = store.getState().cursor;
      if (!now) return undefined;
      if (now.event >= endOf(now.trace) && now.trace < last()) seek(now.trace + 1, -1);
      return store.getState().cursor;
    },
    toConstruct,
    constructFirst() {
      if (!beginsWithConstruct(store.getState(), constructShown)) return false;
      toConstruct();
      return true;
    },
    pastConstruct() {
      constructShown = store.getState().info?.construct;
    },
  };
}
