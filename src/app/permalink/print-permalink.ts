/**
 * Prints a run as the text of a link: the pairs that lead to it from the preset that needs the fewest characters.
 * permalink.ts reads the text. Pure.
 */
import { must } from '../../base/invariant';
import type { Config } from '../../protocol/config';
import { withOptimizer } from '../edit/edit-config';
import { fitToData } from '../edit/edit-data';
import { PAGE_CONFIG } from '../edit/page-config';
import { PAGE_PRESETS, PRESET_NAMES } from '../edit/page-presets';
import { readSetting } from '../edit/setting-ranges';
import { same } from '../model/families';
import { withLossType } from '../model/fit-model';
import { type HashPair, joinHash } from './hash-pairs';
import { type LinkState, printState } from './link-state';
import { type PermalinkKey, PLAIN_KEYS, PRESET_KEY, SEED_KEY, VARIANT_KEYS } from './permalink-keys';
import { asTheButton, needsDeeper } from './permalink-mode';
import { printNet, printWholeNet } from './permalink-model';
import { codecFor, startOf, withDataType } from './permalink-start';
import { printView, type ViewOptions } from './permalink-view';

interface Start {
  readonly config: Config;
  /** The pair that names the start, if it must be named. */
  readonly named: readonly HashPair[];
}

const PRESET_STARTS: readonly Start[] = PRESET_NAMES.map((name) => ({
  config: PAGE_PRESETS[name],
  named: name === 'mlp' ? [] : [[PRESET_KEY, name]],
}));

/** The pairs that lead from a start to the configuration. */
export const pairsFrom = (start: Start, config: Config): readonly HashPair[] =>
  must(pairsWithin(start, config, Number.POSITIVE_INFINITY), 'pairs of a link');

/** The pairs that lead from a start to the configuration, if they are shorter than `most` characters. */
function pairsWithin({ config: start, named }: Start, config: Config, most: number): readonly HashPair[] | undefined {
  const byType = withDataType(start, config.data.type);
  const byData = fitToData({ ...byType, data: config.data });
  const { optimizer } =
    config.optimizer.type === byData.optimizer.type ? byData : withOptimizer(byData, config.optimizer.type);
  const base = { ...byData, optimizer, loss: withLossType(byData.loss, config.loss.type) };
  const pairs: HashPair[] = [];
  const add = (row: PermalinkKey, always: boolean, against: Config) => {
    const known = codecFor(config, row);
    const value = readSetting(config, row.path);
    if (!known || (!always && same(value, readSetting(against, row.path)))) return;
    pairs.push([row.key, known.codec.print(value)]);
  };
  add(SEED_KEY, true, base);
  pairs.push(...named);
  add(VARIANT_KEYS.data, false, start);
  add(VARIANT_KEYS.opt, false, byData);
  add(VARIANT_KEYS.loss, false, byData);
  for (const row of PLAIN_KEYS) add(row, false, row.path[0] === 'data' ? byType : base);
  // The rest only adds pairs, and takes most of the time.
  if (lengthOf(pairs) >= most) return undefined;
  const net = printNet(config, byData);
  const said = new Set(pairs.map(([key]) => key));
  const paths = PLAIN_KEYS.filter(({ key }) => said.has(key)).map(({ path }) => path);
  // Without layers in the link, its reader would make the net deeper.
  pairs.push(...(net.length === 0 && needsDeeper(config, paths) ? printWholeNet(config) : net));
  if (lengthOf(pairs) >= most) return undefined;
  const all = [...pairs, ...againstTheButton(config, start.mode, pairs)];
  return lengthOf(all) < most ? all : undefined;
}

/** Settings that the mode's button would set differently, and that no pair contains yet. */
function againstTheButton(config: Config, before: Config['mode'], pairs: readonly HashPair[]): readonly HashPair[] {
  const said = new Set(pairs.map(([key]) => key));
  const explicit = PLAIN_KEYS.filter(({ key }) => said.has(key)).map(
    ({ path }) => [path, readSetting(config, path)] as const,
  );
  const read = asTheButton(config, before, explicit);
  const other = PLAIN_KEYS.filter(({ path }) => !same(readSetting(read, path), readSetting(config, path)));
  const more = other.flatMap((row): readonly HashPair[] => {
    const known = codecFor(config, row);
    return known ? [[row.key, known.codec.print(readSetting(config, row.path))]] : [];
  });
  // The added pairs may change which other settings the button would set.
  return more.length === 0 ? [] : [...more, ...againstTheButton(config, before, [...pairs, ...more])];
}

const lengthOf = (pairs: readonly HashPair[]): number =>
  pairs.reduce((sum, [key, text]) => sum + key.length + text.length + 2, 0);

/**
 * The hash without '#', relative to the preset that gives the shortest text. `kept` pairs follow, except those whose
 * key has since received a good value. `state`: for a link that leads to a moment of the run.
 */
export function printPermalink(
  config: Config,
  view: ViewOptions,
  kept: readonly HashPair[],
  state?: LinkState,
): string {
  const exhibit = startOf(view);
  const starts = exhibit ? [{ config: exhibit, named: [] }] : PRESET_STARTS;
  let shortest: readonly HashPair[] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const start of starts) {
    const way = pairsWithin(start, config, length);
    if (!way) continue;
    shortest = way;
    length = lengthOf(way);
  }
  const pairs = [...shortest, ...printView(view), ...(state ? printState(state) : [])];
  const written = new Map(pairs);
  // For a list, only the unknown names were kept.
  for (const [key, text] of kept) {
    const list = key === 'hide' || key === 'lock' || key === 'open' ? written.get(key) : undefined;
    if (list !== undefined) written.set(key, `${list},${text}`);
    // The seed is always written, but it replaces a refused seed only if it is not the default.
    else if (!written.has(key) || (key === SEED_KEY.key && config.seed === PAGE_CONFIG.seed)) written.set(key, text);
  }
  return joinHash([...written]);
}
