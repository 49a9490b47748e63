import { expect, test } from 'vitest';
import { textsOfMdx, textsOfTypeScript } from './texts-of.mjs';

test('TypeScript: words between tags, attributes that users read, literals of three words; no import, no key', () => {
  const code = [
    "import { a } from 'a b c/d e f';",
    "const notice = { id: 'two words', text: `All \x24{count} ranks wait.` };",
    'const view = (',
    '  <p className="one two" title="Close">',
    '    Press',
    '    Play',
    '  </p>',
    ');',
  ].join('\n');
  expect(textsOfTypeScript('x.tsx', code)).toEqual([
    { line: 2, text: 'All {count} ranks wait.' },
    { line: 4, text: 'Close' },
    { line: expect.any(Number), text: 'Press Play' },
  ]);
});

test('MDX: front matter, headings, paragraphs with their values by name, questions; no code', () => {
  const code = [
    '---',
    "title: 'A title'",
    'minutes: 10',
    '---',
    '',
    'It takes <Value of="stepTime" figure="f" /> for $N$ ranks.',
    '',
    '## Why',
    '',
    '<Question ask="Who waits?">',
    'Everybody does.',
    '</Question>',
    '',
    '```',
    'print("no text of ours")',
    '```',
  ].join('\n');
  expect(textsOfMdx('x.mdx', code).map(({ line, text }) => `${line} ${text}`)).toEqual([
    "2 'A title'",
    '6 It takes <stepTime> for $N$ ranks.',
    '8 Why',
    '10 Who waits?',
    '11 Everybody does.',
  ]);
});
