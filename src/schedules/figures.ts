/**
 * The cost of a schedule as numbers for a report: makespan, bubble and the peak of kept activations, as counted and by
 * formula if one is known. Called by the pipeline mode for the report of a run.
 */
import type { PipelineReport } from '../protocol/report';
import { closedFormsOf } from './closed-form';
import { recognise } from './recognise';
import type { Schedule } from './schedule';
import { timingOf } from './timing';

/** Figures of a schedule that can run; a user's schedule that equals a known one gets its formulas. */
export function figuresOf(schedule: Schedule): PipelineReport {
  const { ranks, stages, microBatches } = schedule;
  const { makespan, bubble, peakLive } = timingOf(schedule);
  const name = schedule.name ?? recognise(schedule);
  const forms = name && closedFormsOf({ name, ranks, stagesPerRank: stages / ranks, microBatches });
  return {
    schedule: name ?? 'own',
    ranks,
    stages,
    microBatches,
    makespan: { counted: makespan, ...(forms?.makespan ? { byFormula: forms.makespan } : {}) },
    bubble: { counted: bubble, ...(forms?.bubble ? { byFormula: forms.bubble } : {}) },
    peakActivations: { counted: peakLive, ...(forms ? { byFormula: forms.peakLive } : {}) },
  };
}
