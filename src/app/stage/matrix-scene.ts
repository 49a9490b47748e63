/**
 * A matrix in a room as cells, and what it says when pointed at: a parameter, its gradient, the batch or an activation.
 * It is empty until it has been computed in the step that is shown; only parameters are there from the start. Pure.
 */
import type { Content } from '../../trace/contents';
import { formatSize } from '../draw/format';
import type { Rect } from '../draw/geometry';
import type { HeatCells } from '../draw/heat-map';
import type { MatrixWindow } from './matrix-window';
import type { RoomInput } from './room-input';
import type { MatrixScene, SceneItem } from './scene-types';

export type MatrixKind = 'parameter' | 'gradient' | 'batch' | 'activation';

export interface MatrixPart {
  readonly kind: MatrixKind;
  readonly buffer: string;
  readonly shape: readonly number[];
  readonly rect: Rect;
  readonly window: MatrixWindow;
}

/**
 * What the buffer holds in this step. Before backward .grad is None, since zero_grad() has run, and a replica or an
 * activation is not there yet, whatever the memory still holds from the step before.
 */
function contentOf({ place, facts }: RoomInput, part: MatrixPart): Content | undefined {
  const content = facts.content(place.device, part.buffer);
  const lasts = part.kind === 'parameter' && place.keeps;
  return content?.event === undefined && !lasts ? undefined : content;
}

export function matrixScene(
  input: RoomInput,
  part: MatrixPart,
): { readonly matrix: MatrixScene; readonly item: SceneItem } {
  const { device } = input.place;
  const content = contentOf(input, part);
  const { rows, columns, stride, tiles } = part.window;
  const cells: HeatCells | undefined = content && {
    values: tiles ? input.tiledValues(content.values, tiles) : content.values,
    offset: 0,
    stride,
    rows,
    columns,
    ...(tiles ? { tile: { rows: tiles.rows, columns: tiles.columns } } : {}),
  };
  const bytes = 4 * part.shape.reduce((n, d) => n * d, 1);
  const made = content?.event;
  return {
    matrix: { rect: part.rect, cells, fresh: made !== undefined && made === input.facts.event },
    item: {
      id: `${device} ${part.buffer}`,
      rect: part.rect,
      device,
      event: made,
      tip: () => ({
        title: `${part.buffer} on cuda:${device}`,
        facts: [
          ['what', part.kind],
          ['shape', part.shape.join('×')],
          ['size', formatSize(bytes)],
          ...(cells ? [] : [['values', 'not computed yet in this step'] as const]),
        ],
        ...(cells ? { cells } : {}),
        ...(part.window.label ? { note: part.window.label } : {}),
      }),
    },
  };
}
