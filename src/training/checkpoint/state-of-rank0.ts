/**
 * What rank 0 tells the others when it alone has read the checkpoint: its buffers that outlive a step, but for
 * gradients, which the next step replaces. Called by blueprint.ts.
 */
import type { BufferSpec, Program } from '../../program/instruction';
import { statefulBuffers } from '../world-state';

export const stateOfRank0 = (programs: readonly Program[]): readonly BufferSpec[] =>
  statefulBuffers(programs).flatMap(({ device, spec }) => (device === 0 && spec.category !== 'gradient' ? [spec] : []));
