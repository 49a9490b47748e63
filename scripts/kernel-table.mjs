/** Writes src/graph/kernel-table.ts from shaders/; to be run when the declarations of a kernel have changed. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './install.mjs';
import { kernelTable } from './kernel-rows.mjs';

writeFileSync(path.join(root, 'src/graph/kernel-table.ts'), kernelTable(path.join(root, 'shaders')));
