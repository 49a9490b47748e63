/** `lockstep compare`: reads two reports, compares them and prints the result. Runs nothing. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { LockstepError } from '../base/errors';
import type { AnyReport } from '../reports/any-report';
import { compareReports } from '../reports/compare-reports';
import { comparisonJson } from '../reports/comparison-json';
import { comparisonText } from '../reports/comparison-text';
import { MOST_BYTES, parseReport } from '../reports/read-report';
import type { CompareOptions } from './compare-usage';
import { EXIT } from './exit-code';
import { fileReason } from './file-error';
import { readInput } from './read-run';

/** Resolves to the exit status. */
export async function compare({ a, b, bar, json }: CompareOptions): Promise<number> {
  // Files with equal names in two folders are shown with their folders.
  const names = path.basename(a) === path.basename(b) ? [a, b] : [path.basename(a), path.basename(b)];
  const one = await read(a, names[0] ?? a);
  const two = await read(b, names[1] ?? b);
  const comparison = compareReports(one, two, bar === undefined ? {} : { bar });
  process.stdout.write(json ? `${JSON.stringify(comparisonJson(comparison), null, 2)}\n` : comparisonText(comparison));
  return comparison.verdict.same === true ? EXIT.ok : EXIT.differ;
}

async function read(file: string, name: string): Promise<AnyReport> {
  return parseReport(await readText(file), file === '-' ? 'standard input' : name);
}

async function readText(file: string): Promise<string> {
  const hint = 'compare takes the paths of two reports (JSON); one of them may be "-" for standard input.';
  let bytes: Uint8Array;
  try {
    bytes = file === '-' ? await readInput() : await readFile(file);
  } catch (error) {
    throw new LockstepError('data', `cannot read the report ${file}: ${fileReason(error)}`, hint, { file });
  }
  if (bytes.length > MOST_BYTES)
    throw new LockstepError('data', `the report ${file} has ${bytes.length} bytes, more than ${MOST_BYTES}`, hint);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new LockstepError('data', `the report ${file} is not a text in UTF-8`, hint, { file });
  }
}
