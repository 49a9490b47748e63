/** Coloured words name things in the figures: pointing at the word or at the thing highlights both. */
import type { Lit } from '../figure/figure-face';
import type { Figures } from './figures';

const numberOf = (text: string | undefined): number | undefined => {
  const number = Number(text);
  return text === undefined || !Number.isInteger(number) ? undefined : number;
};

function litBy({ dataset }: HTMLElement): Lit | undefined {
  const [rank, bucket] = [numberOf(dataset['rank']), numberOf(dataset['bucket'])];
  if (rank === undefined && bucket === undefined) return undefined;
  return { ...(rank === undefined ? {} : { rank }), ...(bucket === undefined ? {} : { bucket }) };
}

export function openThings(document: Document, figures: Figures): void {
  const things = [...document.querySelectorAll<HTMLElement>('.thing')];
  const live: { light(lit: Lit | undefined): void }[] = [];
  const mark = (lit: Lit | undefined) => {
    for (const thing of things) {
      const own = litBy(thing);
      const same =
        lit !== undefined &&
        own !== undefined &&
        (own.rank === undefined || own.rank === lit.rank) &&
        (own.bucket === undefined || own.bucket === lit.bucket);
      thing.toggleAttribute('data-lit', same);
    }
  };
  const light = (lit: Lit | undefined) => {
    mark(lit);
    for (const figure of live) figure.light(lit);
  };
  for (const thing of things) {
    for (const kind of ['pointerenter', 'focus'] as const) thing.addEventListener(kind, () => light(litBy(thing)));
    for (const kind of ['pointerleave', 'blur'] as const) thing.addEventListener(kind, () => light(undefined));
  }
  figures.onLive((_, figure) => {
    live.push(figure);
    figure.onPointed(mark);
  });
}
