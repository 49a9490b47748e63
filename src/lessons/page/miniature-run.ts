/**
 * Chooses the run that the card of a lesson shows when the reader points at it: a figure of the lesson, as a link of
 * the playground with only one view visible. live/page/wall.ts opens it.
 */
import { must } from '../../base/invariant';
import { lookup } from '../../base/lookup';
import type { CardView, FigureSpec, Lesson } from '../lesson';
import { linkOf } from '../run-link';

const HIDDEN = ['bar', 'setup', 'code', 'transport'];
/** Where the playground shows a view. */
const PART: Readonly<Record<CardView['view'], string>> = { loss: 'result', stage: 'stage', timeline: 'timeline' };

const isLab = ({ run }: FigureSpec): boolean => run.startsWith('lab=');

/**
 * The figure that the lesson chooses; else the first with a stage, else with a timeline; a run that a lesson shows
 * otherwise has a stage, too.
 */
export function miniatureRun({ card, figures }: Lesson): string | undefined {
  if (card) return linkTo(must(lookup(figures, card.figure), `the figure ${card.figure}`), card.view);
  const runs = Object.values(figures).filter((figure) => !isLab(figure));
  const showing = (view: 'stage' | 'timeline') => runs.find(({ show }) => show.includes(view));
  const stage = showing('stage');
  const figure = stage ?? showing('timeline') ?? runs[0];
  if (!figure) return undefined;
  return linkTo(figure, figure !== stage && figure.show.includes('timeline') ? 'timeline' : 'stage');
}

function linkTo({ run }: FigureSpec, view: CardView['view']): string {
  const others = Object.values(PART).filter((part) => part !== PART[view]);
  return `${linkOf(run)}&embed=1&hide=${[...HIDDEN, ...others].join(',')}`;
}
