/**
 * What comes after the cursor: what DDP's constructor sent, once, before the first step; the kept traces; and past
 * their end a step that is run now. Moves the cursor from one trace to the next, and walks over none.
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
  /** Runs one step; callers that come while it runs get the same. */
  traceStep(): Promise<void>;
  /** Resolves when no step is being run, whatever became of it. */
  traced(): Promise<void>;
  /** The cursor's place, moved on into the next trace, which is run if need be, when this one is done. */
  onward(): Promise<Cursor | undefined>;
  /** Puts what DDP's constructor sent on the stage, and the cursor before it. */
  toConstruct(): void;
  /** Whether a command that goes on from here shows the constructor first, which then is on the stage. */
  constructFirst(): boolean;
  /** Who was led past the constructor goes on from there. */
  pastConstruct(): void;
}

export function createCourse(store: AppStore, source: StepSource, under: UnderWay): Course {
  /** What DDP's constructor sent, once it has been on the stage. */
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
        // A pause ends with the trace of the step that training has reached: what comes next is the one after it.
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
