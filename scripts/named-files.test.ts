/** Comments that name files which do not exist are found; texts of the code and files of a build are not. */
import { expect, test } from 'vitest';
import { endsOf, missingFiles } from './named-files.mjs';

const ends = endsOf(['src/data/csv.ts', 'src/data/read-late.test.ts']);

test('finds missing files in comments', () => {
  expect(missingFiles('/**\n * Called by other.ts.\n */\nconst a = 1; /* data/png.tsx */', ends)).toEqual([
    'other.ts',
    'data/png.tsx',
  ]);
  expect(missingFiles('  // files/csv.ts reads it.', ends)).toEqual(['files/csv.ts']);
});

test('accepts the end of a path, a name broken after a hyphen, and files of a build', () => {
  expect(missingFiles('/** csv.ts, data/csv.ts, ../data/csv.ts and `src/data/csv.ts` */', ends)).toEqual([]);
  expect(missingFiles('/**\n * See read-\n * late.test.ts.\n */', ends)).toEqual([]);
  expect(missingFiles('/** dist-cli/a.mjs, learn/NAME/lesson.ts; `node a.mjs FILE` runs it. */', ends)).toEqual([]);
});

test('does not read texts of the code', () => {
  expect(missingFiles("const link = 'https://host/x.ts';\nrun('x.ts'); // x is run", ends)).toEqual([]);
});
