/**
 * The meanings of the command line's exit status, in one table: `--help` prints it, and every error takes its number
 * from it. Scripts rely on these numbers, so their meanings never change.
 */
import type { ErrorCode } from '../base/errors';

export const EXIT = { ok: 0, internal: 1, usage: 2, noDevice: 3, runFailed: 4, differ: 5, slower: 6 } as const;

export const EXIT_MEANING: readonly (readonly [number, string])[] = [
  [EXIT.ok, 'the run finished and its report was written; compare: the reports agree; import: something was read'],
  [EXIT.internal, 'a bug in Lockstep'],
  [EXIT.usage, 'an option, configuration, data file or schedule is not valid, or shapes do not fit'],
  [EXIT.noDevice, 'the requested device is missing (no WebGPU, no adapter, no Chromium, no PyTorch)'],
  [EXIT.runFailed, 'the run stopped: loss not finite, out of memory, device lost, a rank failed, interrupted'],
  [
    EXIT.differ,
    'compare: the two reports are not of the same run, or nothing in them can be compared; bench --against: the same',
  ],
  [EXIT.slower, 'bench --against: a workload is slower than --gate allows'],
];

const BY_ERROR: Readonly<Record<ErrorCode, number>> = {
  config: EXIT.usage,
  shape: EXIT.usage,
  data: EXIT.usage,
  placement: EXIT.usage,
  schedule: EXIT.usage,
  memory: EXIT.runFailed,
  program: EXIT.internal,
  'not-finite': EXIT.runFailed,
  'no-webgpu': EXIT.noDevice,
  'no-adapter': EXIT.noDevice,
  'no-torch': EXIT.noDevice,
  'device-lost': EXIT.runFailed,
  gpu: EXIT.runFailed,
  'rank-failed': EXIT.runFailed,
  distributed: EXIT.runFailed,
  timeout: EXIT.runFailed,
  aborted: EXIT.runFailed,
  'not-loaded': EXIT.runFailed,
  internal: EXIT.internal,
};

/** Whether a text is an error code. A notice of the page has the code of its error in the attribute data-notice. */
export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(BY_ERROR, text);

export const exitCode = (error: ErrorCode): number => BY_ERROR[error];
