/** Wide comments and prose are found; wide code, tables and links are not. */
import { expect, test } from 'vitest';
import { wideLines } from './wide-lines.mjs';

const wide = `${'word '.repeat(24)}end`;

test('finds wide comments of sources, prose of documents, and code of kernels and Python', () => {
  expect(wideLines('a.ts', `// short\n// ${wide}\n * ${wide}\n/** ${wide} */`)).toEqual([2, 3, 4]);
  expect(wideLines('a.wgsl', `/// ${wide}`)).toEqual([1]);
  expect(wideLines('a.wgsl', `let a = 1u;\nlet text = ${wide};`)).toEqual([2]);
  expect(wideLines('a.py', `# ${wide}\ntext = '${wide}'`)).toEqual([1, 2]);
  expect(wideLines('a.md', `short\n${wide}\n- ${wide}`)).toEqual([2, 3]);
});

test('ignores wide code, tables, code blocks and links', () => {
  expect(wideLines('a.ts', `const text = '${wide}';`)).toEqual([]);
  expect(wideLines('a.md', `| ${wide} |\n\`\`\`\n${wide}\n\`\`\`\nshttps://${'x'.repeat(140)}`)).toEqual([]);
});
