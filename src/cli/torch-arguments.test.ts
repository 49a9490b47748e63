/**
 * docs/torch-arguments.md is complete and correct: it agrees with torch's recorded signatures and the schema, contains
 * every setting of an optimiser, loss, layer, schedule or DDP, and names only existing settings. After a change:
 * LOCKSTEP_RECORD_ARGUMENTS=1 npx vitest run --project pure src/cli/torch-arguments.test.ts writes its tables.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import recorded from './fixtures/torch-signatures.json';
import {
  commonText,
  isSetting,
  ownText,
  rowsOf,
  type Signatures,
  settingsOf,
  tablesText,
  unlisted,
  variantsOf,
} from './testing/torch-arguments';

const signatures: Signatures = recorded;
const page = new URL('../../docs/torch-arguments.md', import.meta.url);
/** The section from a heading to the next one of the same level. */
const section = (text: string, heading: string): string =>
  new RegExp(`## ${heading}\\n\\n([^]*?)(?=\\n## |$)`).exec(text)?.[1]?.trim() ?? '';

const WANTED = {
  'Arguments without meaning here': commonText(signatures),
  'Argument by argument': tablesText(signatures),
  'Settings that torch has no argument for': ownText(signatures),
};

if (process.env['LOCKSTEP_RECORD_ARGUMENTS'] !== undefined) {
  test('recorded: the tables of the document', () => {
    let text = readFileSync(page, 'utf8');
    for (const [heading, wanted] of Object.entries(WANTED)) text = text.replace(section(text, heading), wanted);
    writeFileSync(page, text);
  });
}

test.each(Object.entries(WANTED))('%s: the tables are what schema and signatures give', (heading, wanted) => {
  expect(section(readFileSync(page, 'utf8'), heading)).toBe(wanted);
});

const NOT_OF_TORCH = ['layer.Residual', 'layer.Unused', 'layer.TokenEmbedding', 'layer.TransformerBlock'];
/** Both are LambdaLR; its signature is listed once. */
const LAMBDA = ['scheduler.WarmupInverseSqrt'];
const PARTS = [
  ...['optimizer', 'loss', 'scheduler', 'layer'].flatMap(variantsOf),
  'ddp',
  'ddp.commHook.powerSGD',
  'sharded',
  'gradScaler',
].filter((part) => !NOT_OF_TORCH.includes(part) && !LAMBDA.includes(part));

test.each(PARTS)('%s has a signature, and every setting of it is in the document', (part) => {
  expect(
    signatures.signatures.some(({ schema }) => schema === part),
    'no signature',
  ).toBe(true);
  expect(unlisted(signatures, part)).toEqual([]);
});

test('every setting that the document names exists', () => {
  for (const signature of signatures.signatures)
    for (const path of Object.values(signature.keys ?? {}))
      if (path.startsWith('/')) expect(isSetting(path.slice(1)), `${signature.name}: ${path}`).toBe(true);
      else for (const name of path.split(', ')) expect(settingsOf(signature.schema), signature.name).toContain(name);
  for (const [part, settings] of Object.entries(signatures.own)) {
    const places = part === 'layer' || part === 'scheduler' ? variantsOf(part) : [part];
    for (const name of Object.keys(settings))
      expect(
        places.some((place) => settingsOf(place).includes(name)),
        `${part}.${name}`,
      ).toBe(true);
  }
});

test('an argument that the document calls not built is not a setting', () => {
  const rows = signatures.signatures.flatMap((signature) =>
    rowsOf(signatures, signature)
      .filter(({ kind }) => kind === 'not built')
      .map(({ argument }) => ({ argument, schema: signature.schema })),
  );
  expect(rows.length).toBeGreaterThan(0);
  const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const built = rows.filter(({ argument, schema }) => schema !== '' && settingsOf(schema).includes(camel(argument)));
  expect(built).toEqual([]);
});
