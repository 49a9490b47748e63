/** Part of `npm run check`: no module of src/ keeps state of its own; module-state.mjs says why. Tests may. */
import path from 'node:path';
import ts from 'typescript';
import { root } from './install.mjs';
import { moduleState } from './module-state.mjs';

const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const short = (/** @type {string} */ file) => path.relative(root, file).replaceAll('\\', '/');
const isChecked = (/** @type {string} */ file) =>
  short(file).startsWith('src/') && !/\.d\.ts$|\.test\.tsx?$|\/testing\//.test(file);

const program = ts.createProgram(fileNames, options);
const checked = program.getSourceFiles().filter(({ fileName }) => isChecked(fileName)).length;
// A moved folder must not look like a clean one.
if (checked < 100) throw new Error(`only ${checked} files of src/ were looked at`);
const found = moduleState(program, isChecked);
for (const { file, line, text } of found)
  console.error(`${short(file)}:${line}: ${text}: the module keeps state; let an owner make it and pass it on.`);
console.log(`${checked} files, ${found.length} with state of their own.`);
process.exit(found.length === 0 ? 0 : 1);
