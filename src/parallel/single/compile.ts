/** A step on one device: forward, loss, backward, optimiser. Called by mode.ts, and by modes that have one device. */
import { initDeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { ModeCompiler } from '../facets/mode-compiler';
import { placeOn } from '../step/place';
import { emitStep, oneAfterTheOther, wholeGraphs } from '../step/step';

export const compileSingle: ModeCompiler['compile'] = (input, kind) => {
  const builder = new ProgramBuilder(initDeviceMesh(), input.ops);
  const stages = placeOn(builder, builder.mesh.world);
  const graphOf = wholeGraphs(input, kind);
  emitStep({ builder, input, kind, stages, order: oneAfterTheOther(kind), syncs: [], graphOf });
  return builder.finish('single', kind);
};
