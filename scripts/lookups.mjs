/** Part of `npm run check`: no plain object of src/ is indexed with a text; text-lookups.mjs says why. Tests may. */
import path from 'node:path';
import ts from 'typescript';
import { root } from './install.mjs';
import { textLookups } from './text-lookups.mjs';

const ALLOWED = 'src/base/lookup.ts';

const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const short = (/** @type {string} */ file) => path.relative(root, file).replaceAll('\\', '/');
const isChecked = (/** @type {string} */ file) =>
  short(file).startsWith('src/') && short(file) !== ALLOWED && !/\.test\.tsx?$|\/testing\//.test(file);

const program = ts.createProgram(fileNames, options);
const checked = program.getSourceFiles().filter(({ fileName }) => isChecked(fileName)).length;
// A moved folder must not look like a clean one.
if (checked < 100) throw new Error(`only ${checked} files of src/ were looked at`);
const found = textLookups(program, isChecked);
for (const { file, line, text } of found)
  console.error(
    `${short(file)}:${line}: ${text}: a text finds inherited entries, too; use lookup(table, text), or a Map.`,
  );
console.log(`${checked} files, ${found.length} plain objects indexed with a text.`);
process.exit(found.length === 0 ? 0 : 1);
