/** The wall and the plan of a semester say what contents.ts and the lessons say, of written lessons only. */
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { CONTENTS, type Entry } from '../../../learn/contents';
import { lesson as ddp } from '../../../learn/ddp/lesson';
import { lesson as traces } from '../../../learn/traces/lesson';
import { must } from '../../base/invariant';
import { CourseWall, type Summary } from './course-wall';
import { miniatureRun } from './miniature-run';
import { Semester } from './semester';

const written = CONTENTS.filter(({ planned }) => planned === undefined);
const summaryOf = ({ name }: Entry): Summary => ({
  description: '',
  can: `do what ${name} teaches`,
  minutes: 10,
  picture: { light: `pictures/${name}.svg`, dark: `pictures/${name}-dark.svg` },
  run: `mode=ddp&embed=1#${name}`,
});
const summaries = new Map(written.map((entry) => [entry.name, summaryOf(entry)]));
const wall = renderToStaticMarkup(createElement(CourseWall, { course: CONTENTS, summaries }));

test('each written lesson has a card with picture and outcome, planned ones have no link', () => {
  for (const { name } of written) {
    expect(wall).toContain(`Afterwards you can do what ${name} teaches.`);
    expect(wall).toContain(`src="pictures/${name}.svg"`);
  }
  for (const { name, planned } of CONTENTS)
    if (planned !== undefined) expect(wall).not.toContain(`href="${name}.html"`);
});

test('a path has its lessons in order, with their numbers and the sum of their minutes', () => {
  const [, path = ''] = /<h2>An afternoon<\/h2>(.*?)<\/div>/.exec(wall) ?? [];
  const stops = written.filter(({ paths }) => paths?.includes('afternoon'));
  const found = [...path.matchAll(/<li value="(\d+)"><a href="([a-z-]+)\.html">/g)];
  expect(found.map(([, number, name]) => [Number(number), name])).toEqual(
    stops.map((entry) => [CONTENTS.indexOf(entry) + 1, entry.name]),
  );
  expect(path).toContain(`about ${10 * stops.length} minutes`);
});

test('the plan has every lesson with a week once, with its first prediction', () => {
  const lessons = written.map((entry) => ({ entry, lesson: ddp }));
  const plan = renderToStaticMarkup(createElement(Semester, { lessons, summaries }));
  const found = [...plan.matchAll(/href="([a-z-]+)\.html"/g)].map(([, name]) => name);
  expect(found).toEqual(written.filter(({ week }) => week !== undefined).map(({ name }) => name));
  const [first] = Object.values(ddp.predictions);
  const words = plan.replaceAll(/<[^>]+>/g, '').replaceAll('&#x27;', "'");
  expect(words.split(first?.question.replaceAll('`', '') ?? '').length - 1).toBe(found.length);
});

test('a card runs the chosen figure, else the first with a stage or timeline, and hides the rest; never a lab', () => {
  expect(miniatureRun(ddp)).toMatch(/mode=ddp.*&embed=1&hide=bar,setup,code,transport,result,timeline$/);
  expect(miniatureRun(traces)).toMatch(/hide=bar,setup,code,transport,result,stage$/);
  expect(miniatureRun({ ...ddp, card: { figure: 'apart', view: 'loss' } })).toMatch(
    /at=60.*&hide=bar,setup,code,transport,stage,timeline$/,
  );
  expect(() => miniatureRun({ ...ddp, card: { figure: 'gone', view: 'loss' } })).toThrow('the figure gone');
  const { predictions, tasks } = ddp;
  const [first] = Object.values(ddp.figures);
  const lab = { ring: { ...must(first, 'a figure'), run: 'lab=allReduce(ranks:4)' } };
  expect(miniatureRun({ figures: lab, predictions, tasks })).toBeUndefined();
});
