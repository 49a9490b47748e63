/**
 * The picture of the operator that a room shows: made by the table of pictures once the table is loaded, and drawn
 * again only if a tensor that it read has changed. Until the table is loaded, and if an operator has no picture for the
 * present values, room-scene draws the line of matrices (product-spec).
 */
import { Part } from '../../../base/part';
import type { Content } from '../../../trace/contents';
import type { RoomInput } from '../room-input';
import type { OperatorDrawing } from './drawn';

export const OPERATOR_PICTURES = new Part(
  'The pictures of operators',
  async () => (await import('./pictures')).PICTURES,
);

if (!globalThis.LOCKSTEP_SITE) await OPERATOR_PICTURES.load();

export interface Drawings {
  /** undefined if the room shows no operator, or shows it as a line of matrices. */
  of(input: RoomInput): OperatorDrawing | undefined;
}

interface Kept {
  readonly content: RoomInput['content'];
  readonly state: string;
  readonly read: readonly (readonly [buffer: string, content: Content | undefined])[];
  readonly drawing: OperatorDrawing | undefined;
}

export function createDrawings(): Drawings {
  const kept = new Map<number, Kept>();
  return {
    of(input) {
      const { content, facts, place } = input;
      const pictures = OPERATOR_PICTURES.now();
      if (!pictures || !content.operation) return undefined;
      const { event } = content.operation;
      const state = facts.under(event) ? 'under' : facts.fresh(event) ? 'fresh' : '';
      const held = kept.get(place.device);
      const same =
        held?.content === content &&
        held.state === state &&
        held.read.every(([buffer, before]) => facts.content(place.device, buffer) === before);
      if (same) return held.drawing;
      const { drawing, read } = pictures.draw(input, content.operation);
      kept.set(place.device, { content, state, read, drawing });
      return drawing;
    },
  };
}
