/**
 * Writes the kernels of vec4-twins.mjs, and src/graph/kernel-table.ts from shaders/. Run it after you changed a kernel.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './install.mjs';
import { kernelTable } from './kernel-rows.mjs';
import { readArguments } from './read-arguments.mjs';
import { writeTwins } from './vec4-twins.mjs';

readArguments({
  command: 'node scripts/kernel-table.mjs',
  about:
    'Writes src/graph/kernel-table.ts from the kernels in shaders/, and the kernels for vectors of four that are made from the kernels for single elements. Run it after you changed a kernel.',
});

writeTwins();
writeFileSync(path.join(root, 'src/graph/kernel-table.ts'), kernelTable(path.join(root, 'shaders')));
