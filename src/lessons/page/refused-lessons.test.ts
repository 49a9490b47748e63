/** A lesson that asks for what is not there fails the build, in a sentence that says which lesson and what. */
import { createElement as h, type ReactNode } from 'react';
import { beforeAll, expect, test } from 'vitest';
import { loadKinds } from '../drawing/kinds';
import type { FigureSpec, Lesson } from '../lesson';
import { type Passes, Runs, renderLesson } from './render';

const figure: FigureSpec = {
  run: 'lab=allReduce(ranks:2,length:4,round:1)',
  show: ['lab'],
  controls: ['play'],
  caption: 'Two ranks.',
  numbers: ['rounds'],
  starts: 'rest',
};

type Components = Readonly<Record<string, (props: object) => ReactNode>>;
/** What stands in a lesson's text: its components by their names, with their props. */
type Written = readonly (readonly [component: string, props: object])[];

let passes: Passes;
beforeAll(async () => {
  passes = {
    looks: { themes: { light: {}, dark: {} }, labCss: '' } as unknown as Passes['looks'],
    highlight: (code) => code,
    runs: new Runs(),
    files: new Map(),
    kinds: await loadKinds(),
  };
});

const render = (written: Written, lesson: Partial<Lesson> = {}): Promise<string> => {
  const Text = ({ components }: { components: Components }) =>
    written.map(([name, props], key) => h(components[name] ?? name, { key, ...props }));
  return renderLesson(
    {
      name: 'broken',
      text: { default: Text as never, frontmatter: {} as never },
      lesson: { figures: {}, predictions: {}, tasks: {}, ...lesson },
    },
    passes,
  );
};

test('a valid lesson is rendered', async () => {
  expect(await render([['Given', { children: '3 ms' }]])).toContain('3 ms');
  expect(await render([['Term', { id: 'rank', children: 'ranks' }]])).toContain('<b>rank</b>');
});

test.each<readonly [what: string, written: Written, lesson: Partial<Lesson>, says: RegExp]>([
  ['a figure', [['Figure', { id: 'ring' }]], {}, /has no figure "ring"/],
  ['a figure of a value', [['Value', { figure: 'ring', of: 'rounds' }]], {}, /has no figure "ring"/],
  ['a prediction', [['Predict', { id: 'guess' }]], {}, /has no prediction "guess"/],
  ['a task', [['Task', { id: 'try' }]], {}, /has no task "try"/],
  [
    'the place of the guess in the plot of a prediction',
    [['Predict', { id: 'guess' }]],
    {
      figures: { ring: figure },
      predictions: {
        guess: {
          question: 'How many rounds?',
          answer: { figure: 'ring', of: 'rounds', with: { length: '8' } },
          guess: { kind: 'number', from: 0, to: 9, step: 1 },
          why: 'So many.',
          plot: { figure: 'ring', of: 'rounds', over: 'ranks', label: 'ranks', values: ['4', '8'] },
        },
      },
    },
    /the plot of prediction "guess" lacks ranks=/,
  ],
  ['a drawing', [['Drawing', { id: 'hill' }]], {}, /has no drawing "hill"/],
  ['a term', [['Term', { id: 'ringlet', children: 'ringlets' }]], {}, /the glossary has no term "ringlet"/],
  [
    'the Play of a figure that starts',
    [['Figure', { id: 'ring' }]],
    { figures: { ring: { ...figure, starts: 'walk', controls: ['round'] } } },
    /figure "ring" starts by itself, so its controls must have 'play'/,
  ],
  [
    'a value of a run',
    [['Value', { figure: 'ring', of: 'accuracy' }]],
    { figures: { ring: figure } },
    /the run of figure "ring" has no value "accuracy"/,
  ],
  [
    'a lab',
    [['Value', { figure: 'ring', of: 'rounds' }]],
    { figures: { ring: { ...figure, run: 'lab=allReduce(ranks:0)' } } },
    /The lab cannot show "allReduce\(ranks:0\)"/,
  ],
  [
    'a run',
    [['Value', { figure: 'ring', of: 'rounds' }]],
    { figures: { ring: { ...figure, run: 'mode=ddp&world=none&at=1' } } },
    /the run "device=cpu&compare=0&mode=ddp&world=none&at=1" failed: .*world/,
  ],
  ['a place in the text', [], { figures: { ring: figure } }, /lesson\.ts has what the text does not: figure ring\./],
])('a text without %s is refused', async (_, written, lesson, says) => {
  await expect(render(written, lesson)).rejects.toThrow(says);
  await expect(render(written, lesson)).rejects.toThrow('Lesson "broken": ');
});
