/** What a run has to say to whoever started it: on the page, on the command line and in the report. Types only. */

export interface Notice {
  readonly level: 'info' | 'warning' | 'error';
  /** The hint says how to go on, so it is gone as soon as training plays. */
  readonly untilPlay?: boolean;
  /**
   * Stable key, so that a test or the page can tell notices apart: 'config', 'software-adapter', 'no-webgpu',
   * 'no-adapter', 'device-lost', 'batch-uneven', 'not-finite', ...
   */
  readonly id: string;
  readonly text: string;
  /** What to do. */
  readonly hint: string;
}
