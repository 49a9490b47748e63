/** Coordinates, groups, data indices and loss ranks of a mesh, by hand for 2x2x2 and as properties for any shape. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import { AXES, DATA_AXES, groupDescription, groupLabel } from '../protocol/mesh';
import { type DeviceMesh, initDeviceMesh } from './device-mesh';

const ranksOf = (mesh: DeviceMesh, axis: (typeof AXES)[number]) => mesh.groups(axis).map(({ ranks }) => ranks);

const size = fc.integer({ min: 1, max: 3 });
const meshes = fc
  .record({ pp: size, dpReplicate: size, dpShard: size, cp: size, tp: size })
  .map((shape) => initDeviceMesh(shape));

test('2 stages of 2 replicas of 2 tensor ranks: neighbours share a layer, the halves of the world are the stages', () => {
  const mesh = initDeviceMesh({ pp: 2, dpReplicate: 2, tp: 2 });
  expect(mesh.worldSize).toBe(8);
  expect(ranksOf(mesh, 'tp')).toEqual([
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
  ]);
  expect(ranksOf(mesh, 'dpReplicate')).toEqual([
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7],
  ]);
  expect(ranksOf(mesh, 'pp')).toEqual([
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
  ]);
  expect(mesh.coordinate(6)).toEqual({ pp: 1, dpReplicate: 1, dpShard: 0, cp: 0, tp: 0 });
  expect(mesh.group('dpReplicate', 5)).toEqual({ id: expect.any(Number), axis: 'dpReplicate', ranks: [5, 7] });
  // Both stages and both tensor ranks of a replica take its batch.
  expect(mesh.world.ranks.map((rank) => mesh.dataIndex(rank))).toEqual([0, 0, 1, 1, 0, 0, 1, 1]);
  expect(mesh.dataIndices).toBe(2);
});

test('2 replicas of 2 shards of 2 context ranks: every shard has a batch', () => {
  const mesh = initDeviceMesh({ dpReplicate: 2, dpShard: 2, cp: 2 });
  expect(ranksOf(mesh, 'dpShard')).toEqual([
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7],
  ]);
  expect(mesh.world.ranks.map((rank) => mesh.dataIndex(rank))).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
});

test('a line that holds all ranks is the default group, as in torch', () => {
  const mesh = initDeviceMesh({ dpReplicate: 4 });
  expect(mesh.group('dpReplicate', 3)).toBe(mesh.world);
  expect(mesh.world).toEqual({ id: 0, ranks: [0, 1, 2, 3] });
  expect(ranksOf(mesh, 'tp')).toEqual([[0], [1], [2], [3]]);
});

test('a plane is the ranks that differ along several axes, and has the name that _flatten gives it', () => {
  const mesh = initDeviceMesh({ pp: 2, dpReplicate: 2, dpShard: 2 });
  const plane = mesh.plane(DATA_AXES, 5);
  expect(plane).toEqual({ id: expect.any(Number), axes: ['dpReplicate', 'dpShard'], ranks: [4, 5, 6, 7] });
  expect(groupDescription(plane)).toBe('mesh_dp_replicate_dp_shard');
  expect(groupLabel(plane)).toBe('dp_replicate_dp_shard[4, 5, 6, 7]');
  expect(mesh.plane(['pp', 'dpReplicate'], 5).ranks).toEqual([1, 3, 5, 7]);
  const others = [mesh.world, ...AXES.flatMap((axis) => mesh.groups(axis)), mesh.plane(DATA_AXES, 0)];
  expect(others.map(({ id }) => id)).not.toContain(plane.id);
  // Where one of the axes has one rank, the plane is a line; where all ranks are in it, it is the default group.
  expect(mesh.plane(['dpShard', 'tp'], 5)).toBe(mesh.group('dpShard', 5));
  expect(mesh.plane(['pp', ...DATA_AXES], 5)).toBe(mesh.world);
  expect(initDeviceMesh({ pp: 2 }).plane(DATA_AXES, 1)).toEqual(initDeviceMesh({ pp: 2 }).group('dpReplicate', 1));
});

test('one process may drive several devices, and devices are spread over nodes', () => {
  const mesh = initDeviceMesh({}, { devicesPerRank: 4, nodes: 2 });
  expect(mesh).toMatchObject({ worldSize: 1, rankOfDevice: [0, 0, 0, 0], nodeOf: [0, 0, 1, 1], dataIndices: 1 });
  expect(mesh.devices).toEqual([0, 1, 2, 3]);
  expect(initDeviceMesh({ pp: 3 }, { nodes: 2 }).nodeOf).toEqual([0, 0, 1]);
});

test('a size that is no number of ranks, and a rank outside, are refused', () => {
  expect(() => initDeviceMesh({ tp: 0 })).toThrow(/tp has the size 0/);
  expect(() => initDeviceMesh({ pp: 2 }).coordinate(2)).toThrow(/no rank 2/);
  expect(() => initDeviceMesh({}).rankAt({ pp: 0, dpReplicate: 1, dpShard: 0, cp: 0, tp: 0 })).toThrow(/outside/);
});

test('coordinates and ranks are each other’s inverse, and the tensor axis is innermost', () =>
  fc.assert(
    fc.property(meshes, (mesh) => {
      for (const rank of mesh.world.ranks) expect(mesh.rankAt(mesh.coordinate(rank))).toBe(rank);
      for (const { ranks } of mesh.groups('tp')) expect(ranks).toEqual(ranks.map((_, place) => at(ranks, 0) + place));
    }),
    { numRuns: 30 },
  ));

test('the groups of an axis partition the world; their members differ in nothing but that axis', () =>
  fc.assert(
    fc.property(meshes, (mesh) => {
      for (const axis of AXES) {
        const groups = mesh.groups(axis);
        expect(groups.flatMap(({ ranks }) => ranks).sort((a, b) => a - b)).toEqual(mesh.world.ranks);
        for (const group of groups) {
          expect(group.ranks.length).toBe(mesh.shape[axis]);
          for (const [place, rank] of group.ranks.entries()) {
            expect(mesh.group(axis, rank)).toBe(group);
            expect(mesh.coordinate(rank)).toEqual({ ...mesh.coordinate(at(group.ranks, 0)), [axis]: place });
          }
        }
      }
    }),
    { numRuns: 30 },
  ));

test('two groups have two ids, whatever their axes', () =>
  fc.assert(
    fc.property(meshes, (mesh) => {
      const groups = new Set([mesh.world, ...AXES.flatMap((axis) => mesh.groups(axis))]);
      expect(new Set([...groups].map(({ id }) => id)).size).toBe(groups.size);
    }),
    { numRuns: 30 },
  ));

test('every data index has the same number of ranks', () =>
  fc.assert(
    fc.property(meshes, (mesh) => {
      const count = (ranks: readonly number[]) =>
        Array.from({ length: mesh.dataIndices }, (_, i) => ranks.filter((rank) => mesh.dataIndex(rank) === i).length);
      expect(new Set(count(mesh.world.ranks)).size).toBe(1);
    }),
    { numRuns: 30 },
  ));
