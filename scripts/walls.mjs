/**
 * Checks the imports between rooms against .dependency-cruiser.cjs. It does not use dependency-cruiser's command line,
 * which finds no modules and reports success if it does not support the installed TypeScript: here too few modules are
 * a failure.
 */
import { readdirSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import extractConfig from 'dependency-cruiser/config-utl/extract-depcruise-config';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

readArguments({
  command: 'node scripts/walls.mjs',
  about: 'Part of npm run check: checks the imports between the rooms of src/ against .dependency-cruiser.cjs.',
});

process.chdir(root);
const { options, ...ruleSet } = await extractConfig('./.dependency-cruiser.cjs');
const { output } = await cruise(
  ['src'],
  { ...options, validate: true, ruleSet },
  {},
  { tsConfig: extractTsConfig('./tsconfig.json') },
);
if (typeof output === 'string') throw new Error('dependency-cruiser gave text instead of a result');

const { violations, totalCruised, totalDependenciesCruised } = output.summary;
for (const { rule, from, to, cycle } of violations) {
  console.error(`${rule.severity} ${rule.name}: ${from} -> ${cycle ? cycle.map(({ name }) => name).join(' -> ') : to}`);
}
const sources = readdirSync('src', { recursive: true }).filter((file) => /\.tsx?$/.test(String(file))).length;
console.log(
  `${totalCruised} modules and ${totalDependenciesCruised} imports looked at, ${violations.length} against the walls.`,
);
if (totalCruised < sources) {
  console.error(
    `src/ has ${sources} TypeScript files, of which some were not looked at: is this a TypeScript that dependency-cruiser knows?`,
  );
  process.exit(1);
}
process.exit(violations.length === 0 ? 0 : 1);
