/** Writes src/graph/kernel-table.ts from shaders/. Run it after you changed the declarations of a kernel. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './install.mjs';
import { kernelTable } from './kernel-rows.mjs';

writeFileSync(path.join(root, 'src/graph/kernel-table.ts'), kernelTable(path.join(root, 'shaders')));
