/** Pictures of a figure's views as files beside the page; each page collects those that it has. */
import type { FigureSpec, View } from '../lesson';
import { type Looks, pictureOf } from '../record/pictures';
import type { Recorded } from '../record/record-run';

export interface SizedPicture {
  readonly light: string;
  readonly dark: string;
  readonly width: number;
  readonly height: number;
}

export interface PictureShelf {
  readonly looks: Looks;
  /** By the name of the file, relative to the pages. */
  readonly files: Map<string, string>;
}

/** Draws them and keeps their files; `name`: of the lesson, `id`: of the figure. */
export function shelvePictures(
  shelf: PictureShelf,
  name: string,
  id: string,
  spec: FigureSpec,
  recorded: Recorded,
): ReadonlyMap<View, SizedPicture> {
  const found = spec.show.flatMap((view): [View, SizedPicture][] => {
    const made = pictureOf(view, spec, recorded, shelf.looks);
    if (!made) return [];
    const fileOf = (theme: 'light' | 'dark'): string => {
      const file = `pictures/${name}-${id}-${view}${theme === 'dark' ? '-dark' : ''}.svg`;
      shelf.files.set(file, made.svg[theme]);
      return file;
    };
    return [[view, { light: fileOf('light'), dark: fileOf('dark'), width: made.width, height: made.height }]];
  });
  return new Map(found);
}
