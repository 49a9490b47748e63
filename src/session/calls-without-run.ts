/**
 * The session's calls that need no open run: a whole run, an export, an exhibit of the museum, the lab. The code of
 * each is loaded at its first call, because an open run does not need it. Part of session.ts.
 */
import { loadPart } from '../base/load-part';
import type { CallsWithoutRun } from '../protocol/session';

const LAB = 'The collectives lab';

export const wholeRuns = () => loadPart('The code of whole runs', () => import('../headless/whole-runs'));

export const callsWithoutRun = (gpu: GPU | undefined): CallsWithoutRun => ({
  run: async (input, files, records) => (await (await wholeRuns()).runConfig(input, files, { records, gpu })).report,
  exportRun: async (input, files) => (await wholeRuns()).exportFiles(input, files),
  rehearse: async (exhibit, cured) =>
    (await loadPart('This exhibit', () => import('../museum/scripts'))).rehearse(exhibit, cured),
  lab: async (request) => (await loadPart(LAB, () => import('../lab/run-lab'))).runLab(request),
  labCurves: async (request) => (await loadPart(LAB, () => import('../lab/lab-curves'))).labCurves(request),
  measureLab: async (request) => (await loadPart(LAB, () => import('../lab/measure-lab'))).measureLab(request),
});
