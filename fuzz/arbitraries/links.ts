/**
 * Links: the link that the page makes for a configuration, pairs of known keys and odd values, and both with changed
 * characters.
 */
import fc from 'fast-check';
import * as v from 'valibot';
import { STATE_KEYS } from '../../src/app/permalink/link-state';
import { PANELS, PART_NAMES } from '../../src/app/permalink/page-parts';
import { PLAIN_KEYS, VARIANT_KEYS } from '../../src/app/permalink/permalink-keys';
import { NET_KEYS } from '../../src/app/permalink/permalink-model';
import { DEFAULT_VIEW, VIEW_KEYS } from '../../src/app/permalink/permalink-view';
import { printPermalink } from '../../src/app/permalink/print-permalink';
import { configSchema } from '../../src/protocol/config';
import { validConfig } from './configs';
import { oddName, oddNumber } from './odd';

const KEYS = [
  'seed',
  'preset',
  ...VIEW_KEYS,
  ...STATE_KEYS,
  ...NET_KEYS,
  ...[...Object.values(VARIANT_KEYS), ...PLAIN_KEYS].flatMap(({ key, aliases }) => [key, ...aliases]),
];
const WORDS = [
  'ddp',
  'dp',
  'single',
  'mp',
  'ps',
  'csv',
  'png',
  'text',
  'digits',
  'gpt',
  'cnn',
  'Adam',
  'ce',
  'none',
  'default',
  '1',
  '0',
  'true',
  '2-8-8-1',
  '8-16',
  '2-4-64',
  'conv8k3p1-bn-relu-pool2-flatten-linear10',
  'res(linear2!linear2)-linear1',
  'unused(linear3i2):a~2e~b',
  'Linear(2,8),ReLU,Linear(8,1,nobias)',
  'StepLR(stepSize:10,every:epoch)',
  "!((match:'*.bias',weightDecay:0))",
  'powerSGD(matrixApproximationRank:2)',
  'allReduce(algorithm:tree,ranks:8,round:3)',
  '!(rank(rank:1,factor:4))',
  '64KiB',
  PART_NAMES.join(','),
  '12.2',
  '14:0.5',
  '999999999',
  'construct',
  'measured',
  '3.3333s',
  '20/s',
  'attention',
  "(from:0.2,to:0.5,find:'all_reduce',path:true)",
  PANELS.join(','),
] as const;

const bracket = fc
  .tuple(fc.constantFrom('!(', '(a:', 'res(', 'unused(', 'a('), fc.constantFrom(1, 17, 3000), fc.boolean())
  .map(([open, times, closes]) => `${open.repeat(times)}1${closes ? ')'.repeat(times) : ''}`);

const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 3, arbitrary: fc.integer({ min: -2, max: 40 }).map(String) },
  { weight: 2, arbitrary: oddNumber.map(String) },
  { weight: 2, arbitrary: oddName },
  { weight: 1, arbitrary: bracket },
);
const key = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...KEYS) }, { weight: 1, arbitrary: oddName });

/** Links as another program might write them: not every program escapes characters. */
const escaped = (text: string): string => encodeURIComponent(text.replace(/[\ud800-\udfff]/g, '?'));
const pair = fc
  .tuple(key, value, fc.constantFrom(true, true, true, false))
  .map(([name, text, escapes]) => (escapes ? `${escaped(name)}=${escaped(text)}` : `${name}=${text}`));
const pairs = fc.array(pair, { maxLength: 8 }).map((all) => all.join('&'));

const printed = validConfig.map((config) => {
  const parsed = v.safeParse(configSchema, config);
  return parsed.success ? printPermalink(parsed.output, DEFAULT_VIEW, []) : '';
});

const edits = fc.array(
  fc.tuple(fc.nat(400), fc.constantFrom('', '(', ')', '!', '-', '%', '&', '=', "'", '9', 'e', '~')),
  {
    minLength: 1,
    maxLength: 6,
  },
);
const scratched = fc.tuple(fc.oneof(printed, pairs), edits).map(([text, all]) =>
  all.reduce((now, [at, mark]) => {
    const place = at % Math.max(1, now.length);
    return now.slice(0, place) + mark + now.slice(place + 1);
  }, text),
);

export const anyLink = fc.oneof(
  { weight: 4, arbitrary: pairs },
  { weight: 3, arbitrary: fc.tuple(printed, pairs).map(([a, b]) => `${a}&${b}`) },
  { weight: 3, arbitrary: scratched },
);
