/**
 * A drawing of the shapes that one row of data takes in the model: images as stacked sheets, tokens as a field of
 * numbers, vectors as columns. Blocks that keep the shape are boxes; equal blocks are drawn once with their number.
 * Sizes are on a square-root scale, so that both 784 and 10 are visible.
 */
import type { LayerConfig } from '../../protocol/config';
import { clamp } from '../draw/geometry';
import { type LayerShape, outputOf } from '../model/layer-shapes';
import styles from './model-panel.module.css';

interface Stop {
  readonly kind: 'shape' | 'block';
  readonly shape: LayerShape;
  readonly words: string;
  readonly times: number;
}

const BLOCKS: readonly LayerConfig['type'][] = ['TransformerBlock', 'MultiheadAttention', 'Residual'];
const SHORT: Readonly<Partial<Record<LayerConfig['type'], string>>> = {
  TransformerBlock: 'block',
  MultiheadAttention: 'attention',
  Residual: 'residual',
};

function stopsOf(layers: readonly LayerConfig[], shape: LayerShape): readonly Stop[] {
  const stops: Stop[] = [{ kind: 'shape', shape, words: shape.join('×'), times: 1 }];
  let now: LayerShape | undefined = shape;
  for (const layer of layers) {
    const next: LayerShape | undefined = now && outputOf(layer, now);
    const last = stops.at(-1);
    if (!next || !last) break;
    const words = SHORT[layer.type] ?? layer.type;
    if (BLOCKS.includes(layer.type) && next.join() === now?.join()) {
      if (last.kind === 'block' && last.words === words) stops[stops.length - 1] = { ...last, times: last.times + 1 };
      else stops.push({ kind: 'block', shape: next, words, times: 1 });
    } else if (next.join() !== now?.join() && layer.type !== 'Flatten') {
      stops.push({ kind: 'shape', shape: next, words: next.join('×'), times: 1 });
    }
    now = next;
  }
  return stops;
}

const WIDTH = 200;
const HEIGHT = 98;
/** The width of a letter in the words below the drawing, at 11 px. */
const LETTER = 6.3;
const MIDDLE = 42;
const TALLEST = 58;
const MOST = 7;
/** The drawn size of a dimension. */
const size = (n: number, most: number): number => Math.max(4, (TALLEST * Math.sqrt(n)) / Math.sqrt(most));
const SHEETS = 4;

export function ShapeDrawing({ layers, shape }: { layers: readonly LayerConfig[]; shape: LayerShape | undefined }) {
  if (!shape) return null;
  const all = stopsOf(layers, shape);
  // If not all shapes fit, those in the middle are left out.
  const stops = all.length <= MOST ? all : [...all.slice(0, MOST - 2), ...all.slice(-2)];
  const most = Math.max(...stops.flatMap(({ shape: s }) => (s.length === 3 ? s.slice(1) : s)), 1);
  const pitch = WIDTH / stops.length;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className={styles['shapes']}
      role="img"
      aria-label={`Shapes of a row: ${all.map(({ words, times }) => (times > 1 ? `${times} ${words}s` : words)).join(', then ')}`}
    >
      <path d={`M${pitch / 2} ${MIDDLE}H${WIDTH - pitch / 2}`} />
      {stops.map((stop, i) => {
        const x = pitch * (i + 0.5);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a stop is its place
          <g key={i}>
            {stop.kind === 'block' ? (
              <Block x={x} width={pitch - 6} stop={stop} />
            ) : (
              <Sheets x={x} stop={stop} most={most} wide={pitch - 7} />
            )}
            <text x={inside(x, wordsOf(stop))} y={i % 2 === 0 || stops.length < 4 ? HEIGHT - 4 : HEIGHT - 16}>
              {wordsOf(stop)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

const wordsOf = (stop: Stop): string => (stop.kind !== 'block' ? stop.words : stop.times > 1 ? `× ${stop.times}` : '');

/** The x position at which centred words stay inside the drawing. */
const inside = (x: number, words: string): number => {
  const half = (words.length * LETTER) / 2;
  return clamp(x, half, WIDTH - half);
};

function Block({ x, width, stop }: { x: number; width: number; stop: Stop }) {
  return (
    <>
      <rect className={styles['block']} x={x - width / 2} y={MIDDLE - 15} width={width} height={30} rx={4} />
      <text className={styles['name']} x={x} y={MIDDLE + 3}>
        {stop.words}
      </text>
    </>
  );
}

function Sheets({ x, stop, most, wide }: { x: number; stop: Stop; most: number; wide: number }) {
  const [a = 1, b = 1, c = 1] = stop.shape;
  const dims = stop.shape.length;
  const count = dims === 3 ? Math.min(a, SHEETS) : 1;
  const width =
    dims === 3 ? Math.min(size(c, most), wide - 2 * count) : dims === 2 ? Math.min(size(b, most) * 0.6, wide) : 6;
  const height = dims === 3 ? Math.min(size(b, most), TALLEST * 0.7) : size(a, most);
  return Array.from({ length: count }, (_, i) => {
    const by = (i - (count - 1) / 2) * 2.4;
    return (
      <rect
        // biome-ignore lint/suspicious/noArrayIndexKey: a sheet is its place
        key={i}
        x={x - width / 2 + by}
        y={MIDDLE - height / 2 + by}
        width={width}
        height={height}
        rx={1}
      />
    );
  });
}
