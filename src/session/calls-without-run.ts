/**
 * The session's calls that need no open run: a whole run, an export, an exhibit of the museum, the lab. The code of
 * each is loaded at its first call, because an open run does not need it. Part of session.ts.
 */
import { loadPart } from '../base/load-part';
import type { SessionApi } from '../protocol/session';
import { typed } from './typed';

const LAB = 'The collectives lab';

export const wholeRuns = () => loadPart('The code of whole runs', () => import('../headless/whole-runs'));

type CallsWithoutRun = Pick<SessionApi, 'run' | 'exportRun' | 'rehearse' | 'lab' | 'labCurves' | 'measureLab'>;

export const callsWithoutRun = (gpu: GPU | undefined): CallsWithoutRun => ({
  run: (input, files, records) =>
    typed(async () => (await (await wholeRuns()).runConfig(input, files, { records, gpu })).report),
  exportRun: (input, files) => typed(async () => (await wholeRuns()).exportFiles(input, files)),
  rehearse: (exhibit, cured) =>
    typed(async () => (await loadPart('This exhibit', () => import('../museum/scripts'))).rehearse(exhibit, cured)),
  lab: (request) => typed(async () => (await loadPart(LAB, () => import('../lab/run-lab'))).runLab(request)),
  labCurves: (request) =>
    typed(async () => (await loadPart(LAB, () => import('../lab/lab-curves'))).labCurves(request)),
  measureLab: (request) =>
    typed(async () => (await loadPart(LAB, () => import('../lab/measure-lab'))).measureLab(request)),
});
