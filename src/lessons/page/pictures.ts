/** Pictures of figures' views as files beside the page; each page collects its own. */
import type { FigureShape } from '../figure-size';
import type { FigureSpec, View } from '../lesson';
import { type Looks, pictureOf } from '../record/pictures';
import type { Recorded } from '../record/record-run';

export interface SizedPicture {
  readonly light: string;
  readonly dark: string;
  readonly width: number;
  readonly height: number;
  /** The picture for a narrow page, if the view has a different layout there. */
  readonly narrow?: Omit<SizedPicture, 'narrow'>;
}

export interface PictureShelf {
  readonly looks: Looks;
  /** Contents by the file's name, relative to the pages. */
  readonly files: Map<string, string>;
}

/**
 * Writes a drawing as two files for the list of lessons: in its own page a drawing is part of the HTML and takes the
 * page's colours, but a file must contain its colours.
 */
export function shelveDrawing({ looks, files }: PictureShelf, name: string, id: string, svg: string): void {
  for (const theme of ['light', 'dark'] as const) {
    const colour = (_: string, variable: string): string => looks.themes[theme].variables.get(variable) ?? 'none';
    const own = svg
      .replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" font-family="system-ui, sans-serif" ')
      .replace(/var\(--([a-z0-9-]+)\)/g, colour);
    files.set(drawingFile(name, id, theme), own);
  }
}

const drawingFile = (name: string, id: string, theme: 'light' | 'dark'): string =>
  `pictures/${name}-drawing-${id}${theme === 'dark' ? '-dark' : ''}.svg`;

/** Draws a figure's pictures and keeps the files; `name`: of the lesson, `id`: of the figure. */
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
