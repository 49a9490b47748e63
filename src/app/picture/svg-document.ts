/**
 * Builds a picture in SVG: consecutive elements, the definitions that they refer to, links, and groups of elements with
 * the same clip. Independent of the canvas; svg-recorder.ts decides what is drawn.
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
  /** The clip of the open group. */
  private open: string | undefined;
  private ids = 0;

  /** Adds a definition and returns its id. */
  define(make: (id: string) => string): string {
    this.ids += 1;
    const id = `d${this.ids}`;
    this.defs.push(make(id));
    return id;
  }

  /** Adds an element, clipped by the definition with this id. */
  add(name: string, given: Attributes, clip: string | undefined, content?: string): void {
    this.regroup(clip);
    const tag = `<${name}${attributes(given)}`;
    this.elements.push(content === undefined ? `${tag}/>` : `${tag}>${content}</${name}>`);
  }

  /** Elements that `draw` adds become a link to `href`. */
  link(href: string, draw: () => void): void {
    this.regroup(undefined);
    this.elements.push(`<a href="${escaped(href)}">`);
    draw();
    this.regroup(undefined);
    this.elements.push('</a>');
  }

  /** The finished SVG with this size. `title` is the name for screen readers. */
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

  /** Elements with the same clip are in one group. */
  private regroup(clip: string | undefined): void {
    if (clip === this.open) return;
    if (this.open !== undefined) this.elements.push('</g>');
    if (clip !== undefined) this.elements.push(`<g clip-path="url(#${clip})">`);
    this.open = clip;
  }
}
