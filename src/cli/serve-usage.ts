/** The option of `lockstep serve`. Read by usage.ts. */
import { HELP, type OptionRow, type Values, wholeOf } from './option-values';

/** The port of npm start. */
const DEFAULT_PORT = 5173;

export const SERVE_OPTIONS: readonly OptionRow[] = [
  {
    name: 'port',
    value: 'N',
    text: `port of the playground; if the port is taken, the next free port (${DEFAULT_PORT})`,
  },
  HELP,
];

export interface ServeOptions {
  /** The port; 0: any. */
  readonly port: number;
}

export const serveOptions = (values: Values): ServeOptions => ({
  port: wholeOf(values, 'port', 0, 65_535) ?? DEFAULT_PORT,
});
