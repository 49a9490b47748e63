/**
 * The buffers that rank 0 broadcasts if it alone has read the checkpoint: those that outlive a step, except gradients,
 * which the next step replaces. Called by blueprint.ts.
 */
import type { BufferSpec, Program } from '../../program/instruction';
import { statefulBuffers } from '../world-state';

export const stateOfRank0 = (programs: readonly Program[]): readonly BufferSpec[] =>
  statefulBuffers(programs).flatMap(({ device, spec }) => (device === 0 && spec.category !== 'gradient' ? [spec] : []));
