/**
 * How a link writes the run that is compared with the page's own: only the settings in which it differs, with the
 * permalink's own keys and values: `beside=mode:single,bucket:25`. Pure.
 */
import type { Config } from '../../protocol/config';
import { type Permalink, pairsFrom, parsePermalink } from '../permalink/permalink';
import { SEED_KEY } from '../permalink/permalink-keys';

/** Never empty: two equal runs differ in nothing, and the seed says so. */
export function printBeside(run: Config, beside: Config): string {
  const pairs = pairsFrom({ config: run, named: [] }, beside);
  const differing = pairs.filter(([key]) => key !== SEED_KEY.key || beside.seed !== run.seed);
  return (differing.length > 0 ? differing : pairs)
    .map(([key, text]) => `${key}:${encodeURIComponent(text)}`)
    .join(',');
}

/** The settings of the other run, and what could not be used. */
export function parseBeside(run: Config, text: string): Pick<Permalink, 'config' | 'notices'> {
  const pairs = text.split(',').filter((part) => part !== '');
  return parsePermalink(pairs.map((pair) => pair.replace(':', '=')).join('&'), run);
}

/** The settings in which the other run differs, for people: 'mode=single'. */
export const besideWords = (run: Config, beside: Config): string =>
  pairsFrom({ config: run, named: [] }, beside)
    .filter(([key]) => key !== SEED_KEY.key || beside.seed !== run.seed)
    .map(([key, text]) => `${key}=${text}`)
    .join(', ');
