/** The plans of this lesson, as a link of the playground writes them. For its figures, its text and its claims. */

const WHOLE_OUTPUT = '(outputLayouts:Replicate,style:ColwiseParallel)';
const TO_SEQUENCE = "(outputLayouts:'Shard(1)',style:RowwiseParallel)";

const written = (entries: Readonly<Record<string, string>>): string =>
  `(${Object.entries(entries)
    .map(([module, style]) => `${/^\w+$/.test(module) ? module : `'${module}'`}:${style}`)
    .join(',')})`;

/** Of two Linear layers, 0 and 2. */
export const COLUMNS_FIRST = written({ 0: 'ColwiseParallel', 2: 'RowwiseParallel' });
export const ROWS_FIRST = written({ 0: 'RowwiseParallel', 2: WHOLE_OUTPUT });
export const ONLY_COLUMNS = written({ 0: WHOLE_OUTPUT, 2: WHOLE_OUTPUT });

const COLUMNS_OF_GPT = {
  'blocks.*.qkv': 'ColwiseParallel',
  'blocks.*.fc1': 'ColwiseParallel',
  head: 'ColwiseParallel',
};
/** Of a GPT: its norms are whole on every rank. */
export const WHOLE_NORMS = written({
  ...COLUMNS_OF_GPT,
  'blocks.*.proj': 'RowwiseParallel',
  'blocks.*.fc2': 'RowwiseParallel',
  tok: 'RowwiseParallel',
});
export const BY_SEQUENCE = written({
  ...COLUMNS_OF_GPT,
  'blocks.*.proj': TO_SEQUENCE,
  'blocks.*.fc2': TO_SEQUENCE,
  tok: TO_SEQUENCE,
  pos: TO_SEQUENCE,
  'blocks.*.ln1': 'SequenceParallel',
  'blocks.*.ln2': 'SequenceParallel',
  ln_f: 'SequenceParallel',
});
