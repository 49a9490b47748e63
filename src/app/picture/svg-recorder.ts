/**
 * Records the painters' drawing as SVG: implements the calls of a CanvasRenderingContext2D that they use and adds each
 * as an element to an SvgDocument. Fonts have generic names, colours stay the same, patterns have ids. It is not a full
 * canvas: nothing can be read back, and calls that no painter makes are missing.
 */
import type { MeasureText } from '../draw/text';
import type { Attributes, SvgDocument } from './svg-document';
import { num, SvgPath } from './svg-path';
import { SvgPen } from './svg-pen';
import { escaped, fontOf, type SvgFont } from './svg-text';

type Used =
  | 'fillStyle'
  | 'strokeStyle'
  | 'lineWidth'
  | 'lineCap'
  | 'lineJoin'
  | 'globalAlpha'
  | 'font'
  | 'textAlign'
  | 'textBaseline'
  | 'imageSmoothingEnabled'
  | 'save'
  | 'restore'
  | 'translate'
  | 'scale'
  | 'rotate'
  | 'setLineDash'
  | 'beginPath'
  | 'closePath'
  | 'moveTo'
  | 'lineTo'
  | 'quadraticCurveTo'
  | 'bezierCurveTo'
  | 'rect'
  | 'roundRect'
  | 'arc'
  | 'arcTo'
  | 'fill'
  | 'stroke'
  | 'clip'
  | 'fillRect'
  | 'strokeRect'
  | 'clearRect'
  | 'fillText'
  | 'measureText';

const ANCHORS: Readonly<Record<CanvasTextAlign, string>> = {
  start: 'start',
  left: 'start',
  center: 'middle',
  right: 'end',
  end: 'end',
};
const BASELINES: ReadonlyMap<CanvasTextBaseline, string> = new Map([
  ['middle', 'central'],
  ['top', 'text-before-edge'],
  ['hanging', 'hanging'],
  ['bottom', 'text-after-edge'],
]);

export class SvgRecorder extends SvgPen implements Partial<Pick<CanvasRenderingContext2D, Used>> {
  private readonly path = new SvgPath(() => this.state.matrix);
  imageSmoothingEnabled = true;

  constructor(
    private readonly measure: MeasureText,
    private readonly svg: SvgDocument,
  ) {
    super();
  }

  /** The recorder as the context that painters expect. */
  get context(): CanvasRenderingContext2D {
    return this as unknown as CanvasRenderingContext2D;
  }

  beginPath(): void {
    this.path.clear();
  }
  closePath(): void {
    this.path.closePath();
  }
  moveTo(x: number, y: number): void {
    this.path.moveTo(x, y);
  }
  lineTo(x: number, y: number): void {
    this.path.lineTo(x, y);
  }
  quadraticCurveTo(...given: Parameters<SvgPath['quadraticCurveTo']>): void {
    this.path.quadraticCurveTo(...given);
  }
  bezierCurveTo(...given: Parameters<SvgPath['bezierCurveTo']>): void {
    this.path.bezierCurveTo(...given);
  }
  rect(...given: Parameters<SvgPath['rect']>): void {
    this.path.rect(...given);
  }
  roundRect(...given: Parameters<SvgPath['roundRect']>): void {
    this.path.roundRect(...given);
  }
  arc(...given: Parameters<SvgPath['arc']>): void {
    this.path.arc(...given);
  }
  arcTo(...given: Parameters<SvgPath['arcTo']>): void {
    this.path.arcTo(...given);
  }

  fill(): void {
    if (this.path.d !== '') this.draw('path', { d: this.path.d, ...this.filled() });
  }
  stroke(): void {
    if (this.path.d !== '') this.draw('path', { d: this.path.d, fill: 'none', ...this.stroked() });
  }
  clip(): void {
    const within = this.state.clip === undefined ? '' : ` clip-path="url(#${this.state.clip})"`;
    const { d } = this.path;
    this.set({ clip: this.svg.define((id) => `<clipPath id="${id}"${within}><path d="${d}"/></clipPath>`) });
  }
  fillRect(x: number, y: number, width: number, height: number): void {
    this.apart((path) => {
      path.rect(x, y, width, height);
      if (path.d !== '' && width !== 0 && height !== 0) this.draw('path', { d: path.d, ...this.filled() });
    });
  }
  strokeRect(x: number, y: number, width: number, height: number): void {
    this.apart((path) => {
      path.rect(x, y, width, height);
      if (path.d !== '') this.draw('path', { d: path.d, fill: 'none', ...this.stroked() });
    });
  }
  /** Nothing to do: the picture starts empty. */
  clearRect(): void {}

  fillText(text: string, x: number, y: number): void {
    if (text === '' || ![x, y].every(Number.isFinite)) return;
    const { font, textAlign, textBaseline, matrix } = this.state;
    const [a, b, c, d, e, f] = matrix;
    const moved = a === 1 && b === 0 && c === 0 && d === 1;
    const { size, weight, family, style }: SvgFont = fontOf(font);
    const anchor = ANCHORS[textAlign];
    this.draw(
      'text',
      {
        x: num(moved ? x + e : x),
        y: num(moved ? y + f : y),
        'font-family': family,
        'font-size': num(size),
        'font-weight': weight === 400 ? undefined : String(weight),
        'font-style': style,
        'text-anchor': anchor === 'start' ? undefined : anchor,
        'dominant-baseline': BASELINES.get(textBaseline),
        transform: moved ? undefined : `matrix(${matrix.map((part) => Number(part.toFixed(4))).join(' ')})`,
        ...this.filled(),
      },
      escaped(text),
    );
  }
  measureText(text: string): TextMetrics {
    const { size, weight, family } = fontOf(this.state.font);
    return { width: this.measure(text, { size, weight, mono: family === 'monospace' }) } as TextMetrics;
  }

  /** Embeds a bitmap as an image in the picture. */
  drawImage(image: CanvasImageSource, x: number, y: number, width: number, height: number): void {
    if (!(image instanceof HTMLCanvasElement || image instanceof OffscreenCanvas)) return;
    const copy = document.createElement('canvas');
    copy.width = image.width;
    copy.height = image.height;
    copy.getContext('2d')?.drawImage(image, 0, 0);
    const [a, , , d, e, f] = this.state.matrix;
    this.draw('image', {
      x: num(a * x + e),
      y: num(d * y + f),
      width: num(a * width),
      height: num(d * height),
      href: copy.toDataURL(),
      preserveAspectRatio: 'none',
      style: this.imageSmoothingEnabled ? undefined : 'image-rendering:pixelated',
      opacity: this.opacity(),
    });
  }

  /** Draws a separate path, which does not change the current one. */
  private apart(draw: (path: SvgPath) => void): void {
    draw(new SvgPath(() => this.state.matrix));
  }
  private draw(name: string, given: Attributes, content?: string): void {
    if (this.state.globalAlpha === 0) return;
    this.svg.add(name, given, this.state.clip, content);
  }
}
