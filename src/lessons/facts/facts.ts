/**
 * The state of a figure at a moment, for values, tasks and claims: the state of its page, the step at the cursor, and
 * the lab's round. Pure; made from the store, both in the browser and at build.
 */
import type { App } from '../../app/state/app-state';
import { isConstruct } from '../../app/state/kept-run';
import type { LabResult } from '../../protocol/lab';
import type { SessionInfo } from '../../protocol/session-info';
import type { StepTrace } from '../../protocol/trace';
import { type Metrics, metricsOf } from '../../trace/metrics';
import { type Moment, momentAt } from '../../trace/moments/moment';
import { momentsOf } from '../../trace/moments/moments';

export interface Facts {
  readonly app: App;
  /** The session's answer about its run; undefined before that answer, and in a figure of the lab. */
  readonly info: SessionInfo | undefined;
  /** The step at the cursor; the first step if the cursor is in the constructor. */
  readonly trace: StepTrace | undefined;
  readonly metrics: Metrics | undefined;
  /** The moment at the cursor. */
  readonly moment: Moment | undefined;
  readonly lab: LabResult | undefined;
  /** Which round the lab shows; 0 is the start. */
  readonly round: number;
  /** The buttons that the reader has pressed in this figure, in order. */
  readonly pressed: readonly string[];
}

export interface FactsFrom {
  readonly app: App;
  readonly lab?: LabResult | undefined;
  readonly pressed?: readonly string[];
}

export function factsOf({ app, lab, pressed = [] }: FactsFrom): Facts {
  const at = app.cursor && app.traces[app.cursor.trace];
  const trace = at && isConstruct(at) ? (app.traces.find((kept) => !isConstruct(kept)) ?? at) : at;
  const { info } = app;
  return {
    app,
    info,
    trace,
    metrics: trace && info && metricsOf(trace, app.clock, info),
    moment: at && app.cursor && momentAt(momentsOf(at), app.cursor.event),
    lab,
    round: app.lab?.round ?? 0,
    pressed,
  };
}
