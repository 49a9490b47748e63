/** A message of a run to its user: on the page, on the command line and in the report. Types only. */

export interface Notice {
  readonly level: 'info' | 'warning' | 'error';
  /** The hint says how to continue, so the notice disappears when training plays. */
  readonly untilPlay?: boolean;
  /**
   * Stable key by which tests and the page recognise the notice: 'config', 'software-adapter', 'no-webgpu',
   * 'no-adapter', 'device-lost', 'batch-uneven', 'not-finite', ...
   */
  readonly id: string;
  readonly text: string;
  /** What to do. */
  readonly hint: string;
}
