/**
 * The unit emitter of a stage whose layers tp cuts: ranks with the same part of the layers gather and reduce among
 * themselves, with the sizes of that part; the groups of different parts work side by side. Called by fsdp.ts and
 * fsdp-of-stages.ts.
 */
import { at } from '../../base/invariant';
import type { Config } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { DeviceIndex } from '../../protocol/trace';
import { shapesOn } from '../tensor/pieces';
import { type UnitEmitter, unitEmitter } from './unit-emitter';
import type { UnitPlace } from './unit-place';
import type { ShardedUnit } from './units';

export function emitterOfParts({ place, ...more }: UnitPlace): UnitEmitter {
  const onDevice = unitsOn(more.input.config);
  const parts = place.replicaGroups.map((group) => {
    const lanes = place.lanes.filter(({ rank }) => group.ranks.includes(rank));
    const emit = unitEmitter({ ...more, place: { lanes, replicaGroups: [group] } });
    return { emit, own: (unit: ShardedUnit) => onDevice(unit, at(lanes, 0).device) };
  });
  type OwnUnit = (unit: ShardedUnit) => ShardedUnit;
  const onParts = (call: (emit: UnitEmitter, own: OwnUnit) => void): void => {
    for (const { emit, own } of parts) call(emit, own);
  };
  return {
    endPass: () => onParts((emit) => emit.endPass()),
    declare: (use) => onParts((emit) => emit.declare(use)),
    gather: (unit, pass) => onParts((emit, own) => emit.gather(own(unit), pass)),
    copyOut: (unit, pass) => onParts((emit, own) => emit.copyOut(own(unit), pass)),
    free: (unit) => onParts((emit, own) => emit.free(own(unit))),
    reduce: (unit, gradients) => onParts((emit, own) => emit.reduce(own(unit), gradients)),
  };
}

/** A unit with the shapes of its gathered parameters on a device. */
export function unitsOn(config: Config): (unit: ShardedUnit, device: DeviceIndex) => ShardedUnit {
  if (meshSizes(config).tp === 1) return (unit) => unit;
  const shapeOn = shapesOn(config);
  return (unit, device) => ({
    ...unit,
    parameters: unit.parameters.map((tensor) => ({ name: tensor.name, shape: shapeOn(tensor, device) })),
  });
}
