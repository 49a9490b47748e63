/** The line of the user's program that made a call, from the stack trace if the engine has one. */

export interface CallSite {
  /** Name of the function; '' at the top level. */
  readonly name: string;
  readonly filename: string;
  readonly line: number;
}

/** The caller of the running function `called`. An explicit `given` ("train.py:12") wins. */
export function callSite(called: (...args: never[]) => unknown, given?: string): CallSite | undefined {
  if (given !== undefined) {
    const line = /^(.*):(\d+)$/.exec(given);
    return { name: '', filename: line?.[1] ?? given, line: Number(line?.[2] ?? 0) };
  }
  const holder: { stack?: string } = {};
  const { captureStackTrace } = Error as { captureStackTrace?: (into: object, above: unknown) => void };
  if (!captureStackTrace) return undefined;
  captureStackTrace(holder, called);
  return siteOf(holder.stack ?? '');
}

/** First frame of a stack as V8 writes it: "at name (file:line:column)", or "at file:line:column". */
export function siteOf(stack: string): CallSite | undefined {
  const frame = stack.split('\n').find((line) => /:\d+:\d+\)?$/.test(line));
  const match = /^\s*at (?:(?:async )?(.*?) \()?(.*?):(\d+):\d+\)?$/.exec(frame ?? '');
  if (!match) return undefined;
  return { name: match[1] ?? '', filename: (match[2] ?? '').replace(/^file:\/\//, ''), line: Number(match[3]) };
}

/** " at train.ts:12", or nothing. */
export const siteText = (site: CallSite | undefined): string =>
  site ? ` at ${site.filename.split(/[/\\]/).at(-1)}:${site.line}` : '';
