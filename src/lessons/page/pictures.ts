/** Pictures of a figure's views as files beside the page; each page collects those that it has. */
import type { FigureShape } from '../figure-size';
import type { FigureSpec, View } from '../lesson';
import { type Looks, pictureOf } from '../record/pictures';
import type { Recorded } from '../record/record-run';

export interface SizedPicture {
  readonly light: string;
  readonly dark: string;
  readonly width: number;
  readonly height: number;
  /** For a narrow page, where the view is laid out otherwise there. */
  readonly narrow?: Omit<SizedPicture, 'narrow'>;
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
  const draw = (view: View, shape: FigureShape): SizedPicture | undefined => {
    const made = pictureOf({ view, shape }, spec, recorded, shelf.looks);
    if (!made) return undefined;
    const fileOf = (theme: 'light' | 'dark'): string => {
      const kind = `${shape === 'narrow' ? '-narrow' : ''}${theme === 'dark' ? '-dark' : ''}`;
      const file = `pictures/${name}-${id}-${view}${kind}.svg`;
      shelf.files.set(file, made.svg[theme]);
      return file;
    };
    return { light: fileOf('light'), dark: fileOf('dark'), width: made.width, height: made.height };
  };
  const found = spec.show.flatMap((view): [View, SizedPicture][] => {
    const wide = draw(view, 'wide');
    const narrow = draw(view, 'narrow');
    return wide ? [[view, { ...wide, ...(narrow ? { narrow } : {}) }]] : [];
  });
  return new Map(found);
}
