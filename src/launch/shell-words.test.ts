/** Commands as bash reads them: quotes, operators, variables, and unknown values. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell variables are written so
import { expect, test } from 'vitest';
import { commandsOf } from './shell-words';

const words = (text: string) => commandsOf(text).map((command) => command.words);

test.each([
  [`torchrun --rdzv_id="a b" 'c d' e\\ f`, [['torchrun', '--rdzv_id=a b', 'c d', 'e f']]],
  [
    'cd /data && torchrun t.py; echo done',
    [
      ['cd', '/data'],
      ['torchrun', 't.py'],
      ['echo', 'done'],
    ],
  ],
  [
    'torchrun t.py 2>&1 | tee log.txt',
    [
      ['torchrun', 't.py'],
      ['tee', 'log.txt'],
    ],
  ],
  ['torchrun t.py > out.log', [['torchrun', 't.py']]],
  ['torchrun t.py # of 4', [['torchrun', 't.py']]],
  ['torchrun run#4.py', [['torchrun', 'run#4.py']]],
  ['torchrun --data *.csv', [['torchrun', '--data', '*.csv']]],
  [`torchrun $'a\\tb'`, [['torchrun', 'a\tb']]],
])('%s', (text, expected) => {
  expect(words(text)).toEqual(expected);
});

test('variables: set before, with a default, and unknown ones stay as they are written', () => {
  expect(words('N=2\ntorchrun $N ${N} ${M:-4} ${M} $M "$M" \'$N\'')).toEqual([
    ['torchrun', '2', '2', '4', '$M', '$M', '$M', '$N'],
  ]);
  expect(commandsOf('A=1 B=$(hostname) torchrun --x=$(a "b" | c)')).toEqual([
    { variables: { A: '1' }, words: ['torchrun', '--x=$(a "b" | c)'] },
  ]);
});

test('lines that bash refuses are refused, with the text', () => {
  expect(() => words('torchrun ${} t.py')).toThrow('"torchrun ${} t.py" can\'t be read: Bad substitution');
});

test('variables of the shell itself stay as they are written', () => {
  expect(words('${-} torchrun t.py')).toEqual([['${-}', 'torchrun', 't.py']]);
  expect(words('$--x torchrun t.py')).toEqual([['$--x', 'torchrun', 't.py']]);
});
