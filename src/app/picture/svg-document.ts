/**
 * A picture in SVG as it is put together: elements one after the other, definitions that they name, links, and groups
 * of elements that are cut to the same clip. It knows no canvas; svg-recorder.ts says what is drawn.
 */
import { num } from './svg-path';
import { escaped } from './svg-text';

export type Attributes = Readonly<Record<string, string | undefined>>;

const attributes = (given: Attributes): string =>
  Object.entries(given)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escaped(value)}"`))
    .join('');

export class SvgDocument {
  private readonly elements: string[] = [];
  private readonly defs: string[] = [];
  /** The clip of the group that is open. */
  private open: string | undefined;
  private ids = 0;

  /** Adds a definition and returns its id. */
  define(make: (id: string) => string): string {
    this.ids += 1;
    const id = `d${this.ids}`;
    this.defs.push(make(id));
    return id;
  }

  /** Adds an element, cut to the clip of that id. */
  add(name: string, given: Attributes, clip: string | undefined, content?: string): void {
    this.regroup(clip);
    const tag = `<${name}${attributes(given)}`;
    this.elements.push(content === undefined ? `${tag}/>` : `${tag}>${content}</${name}>`);
  }

  /** What is drawn meanwhile leads there. */
  link(href: string, draw: () => void): void {
    this.regroup(undefined);
    this.elements.push(`<a href="${escaped(href)}">`);
    draw();
    this.regroup(undefined);
    this.elements.push('</a>');
  }

  /** The elements, in a picture of that size. `title` is its name for who does not see it. */
  toSvg({ width, height, title }: { readonly width: number; readonly height: number; readonly title: string }): string {
    this.regroup(undefined);
    const size = `width="${num(width)}" height="${num(height)}" viewBox="0 0 ${num(width)} ${num(height)}"`;
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">`,
      `<title>${escaped(title)}</title>`,
      this.defs.length > 0 ? `<defs>${this.defs.join('')}</defs>` : '',
      ...this.elements,
      '</svg>',
    ].join('\n');
  }

  /** What is cut alike is in one group. */
  private regroup(clip: string | undefined): void {
    if (clip === this.open) return;
    if (this.open !== undefined) this.elements.push('</g>');
    if (clip !== undefined) this.elements.push(`<g clip-path="url(#${clip})">`);
    this.open = clip;
  }
}
