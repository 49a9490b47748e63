/**
 * The matrices of a room as data: the layers' parameters and gradients, the product that is being computed, and all
 * weights as a strip, with their labels. Pure; called by room-scene.ts.
 */
import type { Rect } from '../draw/geometry';
import { type CutFrame, cutFrame, piecesIn } from './cut-frame';
import { elements, type ParameterPlace } from './devices';
import type { LayerLayout } from './layer-layout';
import { endOf, type MadeMap, type MatrixPart, matrixScene } from './matrix-scene';
import type { MatrixWindow } from './matrix-window';
import type { RoomContent } from './room-content';
import type { RoomInput } from './room-input';
import type { MapScene, ShapeScene, SignScene, WordsScene } from './scene-types';

/** The window of a bias: the same rows as its weight's window. */
function columnWindow({ rows }: MatrixWindow, shape: readonly number[]): MatrixWindow {
  const whole = shape[0] ?? rows;
  const shown = Math.min(rows, whole);
  return { rows: shown, columns: 1, stride: 1, unit: 1, label: shown < whole ? `first ${shown} of ${whole}` : '' };
}

export interface RoomMatrices {
  readonly maps: readonly MadeMap[];
  readonly words: readonly WordsScene[];
  readonly signs: readonly SignScene[];
  /** Outlines of the whole tensors of which the rank has parts. */
  readonly outlines?: readonly ShapeScene[];
}

export const NO_MATRICES: RoomMatrices = { maps: [], words: [], signs: [] };

function parameter(
  input: RoomInput,
  p: ParameterPlace | undefined,
  kind: 'parameter' | 'gradient',
  rect: Rect | undefined,
  window: MatrixWindow,
): readonly MadeMap[] {
  const buffer = kind === 'gradient' ? p?.gradient : p?.name;
  return p && rect && buffer !== undefined
    ? [matrixScene(input, { category: kind, buffer, shape: p.shape, rect, window })]
    : [];
}

export function layerMatrices(
  input: RoomInput,
  layouts: readonly LayerLayout[],
  kind: 'parameter' | 'gradient',
): RoomMatrices {
  const { place } = input;
  const maps = layouts.flatMap((at, i) => {
    const layer = place.layers[i];
    if (!layer) return [];
    return [
      ...parameter(input, layer.weight, kind, at.weight, at.window),
      ...parameter(input, layer.bias, kind, at.bias, columnWindow(at.window, layer.bias?.shape ?? [])),
    ];
  });
  const words = layouts.flatMap((at, i): WordsScene[] => {
    const layer = place.layers[i];
    if (!layer || !at.label) return [];
    const texts =
      kind === 'gradient'
        ? [`${layer.module}.weight.grad`, `${layer.module} grad`, layer.module, layer.module.replace(/^.*\./, '')]
        : layer.labels;
    return [{ at: at.label, texts, tone: 'soft', align: 'left' }];
  });
  return { maps, words, signs: [] };
}

/** The rank's part of a tensor, at its place in the outline of the whole. */
function framed(input: RoomInput, part: MatrixPart, cut: CutFrame | undefined) {
  if (!cut || part.window.tiles) return { maps: [matrixScene(input, part)], outlines: [] };
  return {
    maps: piecesIn(cut, part.rect, part.window).map((piece) => matrixScene(input, { ...part, ...piece })),
    outlines: [{ shape: 'box', rect: part.rect, stroke: 'soft', dash: [3, 3], lineWidth: 1 } as const],
  };
}

export function productMatrices(input: RoomInput, { product: shown }: RoomContent): RoomMatrices {
  if (!shown) return NO_MATRICES;
  const { spec, layout } = shown;
  const { facts } = input;
  const maps: MadeMap[] = [];
  const words: WordsScene[] = [];
  const outlines: ShapeScene[] = [];
  const add = (part: MatrixPart, cut: CutFrame | undefined, under: boolean) => {
    const made = framed(input, part, cut);
    maps.push(...made.maps.map((one) => (under ? { ...one, map: { ...one.map, under } } : one)));
    outlines.push(...made.outlines);
  };
  for (const at of layout.parts) {
    const part = spec.parts[at.part];
    if (!part) continue;
    const { buffer, shape, category } = part;
    const under = part.made && facts.under(shown.event);
    const cut = cutFrame(part.cut, part.transposed);
    add({ buffer, shape, category, rect: at.map, window: at.window }, cut, under);
    if (part.bias && at.bias) {
      const { cut: ofBias, ...bias } = part.bias;
      const window = columnWindow(at.window, bias.shape);
      add({ ...bias, category, rect: at.bias, window }, ofBias ? cutFrame(ofBias, false) : undefined, false);
    }
    if (at.label.height > 0)
      words.push({
        at: at.label,
        texts: labelsOf(part.labels, at.window),
        tone: part.made ? 'ink' : 'soft',
        align: 'left',
      });
  }
  if (layout.words) words.push({ at: layout.words, texts: spec.words, tone: 'soft', align: 'left' });
  return { maps, words, signs: layout.signs, outlines };
}

/** Adds to the labels which part of the matrix is shown, if not the whole. */
const labelsOf = (labels: readonly string[], { label }: MatrixWindow): readonly string[] =>
  label === '' ? labels : [`${labels.at(1) ?? labels[0] ?? ''}, ${label}`, ...labels];

/** All weights as one thin strip, each as long as its share of the elements. */
export function weightStrip(input: RoomInput, at: Rect | undefined): readonly MapScene[] {
  if (!at) return [];
  const { place, facts } = input;
  const all = place.layers.flatMap(({ weight, bias }) => (bias ? [weight, bias] : [weight]));
  const total = all.reduce((sum, p) => sum + elements(p.shape), 0);
  let x = at.x;
  return all.flatMap((p): MapScene[] => {
    const width = (elements(p.shape) / total) * at.width;
    const rect = { ...at, x, width };
    x += width;
    const content = facts.content(place.device, p.name);
    if (!content || (content.event === undefined && !place.keeps)) return [];
    const columns = Math.max(1, Math.min(content.values.length, Math.floor(width / 1.25)));
    const cells = { values: content.values, offset: 0, stride: columns, rows: 1, columns, end: endOf(input, p.name) };
    return [{ rect, cells, fresh: false, under: false, unit: undefined }];
  });
}
