/**
 * Which run the card of a lesson shows when the reader points at it: a figure of the lesson, as a link of the
 * playground with everything hidden but one view. live/page/wall.ts opens it.
 */
import type { FigureSpec, Lesson } from '../lesson';
import { linkOf } from '../run-link';

const HIDDEN = ['bar', 'setup', 'result', 'code', 'transport'];

const isLab = ({ run }: FigureSpec): boolean => run.startsWith('lab=');

/** The first figure with a stage, else with a timeline; a run that a lesson shows otherwise has a stage, too. */
export function miniatureRun({ figures }: Lesson): string | undefined {
  const runs = Object.values(figures).filter((figure) => !isLab(figure));
  const showing = (view: 'stage' | 'timeline') => runs.find(({ show }) => show.includes(view));
  const stage = showing('stage');
  const figure = stage ?? showing('timeline') ?? runs[0];
  if (!figure) return undefined;
  const left = figure !== stage && figure.show.includes('timeline') ? 'stage' : 'timeline';
  return `${linkOf(figure.run)}&embed=1&hide=${[...HIDDEN, left].join(',')}`;
}
