/** Wide comments and prose are found; wide code, tables and links are not. */
import { expect, test } from 'vitest';
import { wideLines } from './wide-lines.mjs';

const wide = `${'word '.repeat(24)}end`;

test('comments of a source, prose of a document, code of a kernel and of Python are held to 120 columns', () => {
  expect(wideLines('a.ts', `// short\n// ${wide}\n * ${wide}\n/** ${wide} */`)).toEqual([2, 3, 4]);
  expect(wideLines('a.wgsl', `/// ${wide}`)).toEqual([1]);
  expect(wideLines('a.wgsl', `let a = 1u;\nlet text = ${wide};`)).toEqual([2]);
  expect(wideLines('a.py', `# ${wide}\ntext = '${wide}'`)).toEqual([1, 2]);
  expect(wideLines('a.md', `short\n${wide}\n- ${wide}`)).toEqual([2, 3]);
});

test('code, tables, code blocks and links are not', () => {
  expect(wideLines('a.ts', `const text = '${wide}';`)).toEqual([]);
  expect(wideLines('a.md', `| ${wide} |\n\`\`\`\n${wide}\n\`\`\`\nshttps://${'x'.repeat(140)}`)).toEqual([]);
});
