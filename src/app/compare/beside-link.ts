/**
 * The text in a link for the run that is compared with the page's own: only the settings that differ, with the
 * permalink's keys and values: `beside=mode:single,bucket:25`. Pure.
 */
import type { Config } from '../../protocol/config';
import { type Permalink, parsePermalink } from '../permalink/permalink';
import { SEED_KEY } from '../permalink/permalink-keys';
import { pairsFrom } from '../permalink/print-permalink';

/** Never empty: for two equal runs, the text is the seed. */
export function printBeside(run: Config, beside: Config): string {
  const pairs = pairsFrom({ config: run, named: [] }, beside);
  const differing = pairs.filter(([key]) => key !== SEED_KEY.key || beside.seed !== run.seed);
  return (differing.length > 0 ? differing : pairs)
    .map(([key, text]) => `${key}:${encodeURIComponent(text)}`)
    .join(',');
}

/** The settings of the other run, and notices for parts of the text that could not be used. */
export function parseBeside(run: Config, text: string): Pick<Permalink, 'config' | 'notices'> {
  const pairs = text.split(',').filter((part) => part !== '');
  return parsePermalink(pairs.map((pair) => pair.replace(':', '=')).join('&'), run);
}

/** The settings in which the other run differs, as shown to the user: 'mode=single'. */
export const besideWords = (run: Config, beside: Config): string =>
  pairsFrom({ config: run, named: [] }, beside)
    .filter(([key]) => key !== SEED_KEY.key || beside.seed !== run.seed)
    .map(([key, text]) => `${key}=${text}`)
    .join(', ');
