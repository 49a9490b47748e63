/**
 * Part of `npm run check`: all checks that use TypeScript, on one program, because creating it takes most of the time.
 * Types are right everywhere. In src/, without its tests, no plain object is indexed with a text (text-lookups.mjs), no
 * module keeps state (module-state.mjs), and no two files export types of the same name (type-names.mjs).
 */
import path from 'node:path';
import ts from 'typescript';
import { root } from './install.mjs';
import { moduleState } from './module-state.mjs';
import { readArguments } from './read-arguments.mjs';
import { textLookups } from './text-lookups.mjs';
import { sharedTypeNames } from './type-names.mjs';

readArguments({
  command: 'node scripts/types.mjs',
  about:
    'Part of npm run check: checks the types, and in src/ that no plain object is indexed with a text, no module keeps state, and no two files export types of the same name.',
});

/** The file that may look up entries by a text. */
const LOOKUP = 'src/base/lookup.ts';

const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const short = (/** @type {string} */ file) => path.relative(root, file).replaceAll('\\', '/');
const isSource = (/** @type {string} */ file) =>
  short(file).startsWith('src/') && !/\.d\.ts$|\.test\.tsx?$|\/testing\//.test(file);

const program = ts.createProgram(fileNames, options);
const sources = program.getSourceFiles().filter(({ fileName }) => isSource(fileName)).length;
// After a move of the folder the check must not pass with no files.
if (sources < 100) throw new Error(`only ${sources} files of src/ were looked at`);

const wrong = ts.getPreEmitDiagnostics(program);
if (wrong.length > 0)
  console.error(
    ts.formatDiagnostics(wrong, {
      getCanonicalFileName: (file) => file,
      getCurrentDirectory: () => root,
      getNewLine: () => '\n',
    }),
  );
const lookups = textLookups(program, (file) => isSource(file) && short(file) !== LOOKUP);
for (const { file, line, text } of lookups)
  console.error(
    `${short(file)}:${line}: ${text}: a text finds inherited entries, too; use lookup(table, text), or a Map.`,
  );
const states = moduleState(program, isSource);
for (const { file, line, text } of states)
  console.error(`${short(file)}:${line}: ${text}: the module keeps state; let an owner make it and pass it on.`);
const shared = sharedTypeNames(program.getSourceFiles().filter(({ fileName }) => isSource(fileName)));
for (const { name, files } of shared)
  console.error(`${files.map(short).join(' and ')} export types named ${name}: call each by what it is of.`);

console.log(
  `${fileNames.length} files, ${wrong.length} wrong types; ${sources} in src/, ${lookups.length} plain objects indexed ` +
    `with a text, ${states.length} with state of their own, ${shared.length} names of types shared.`,
);
process.exit(wrong.length + lookups.length + states.length + shared.length === 0 ? 0 : 1);
