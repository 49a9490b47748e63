/** The mesh in the configuration: its axes, the earlier name of one, and what decides the number of ranks. */
import { expect, test } from 'vitest';
import { LockstepError } from '../base/errors';
import { PARALLEL_MODES } from '../parallel/modes';
import { AXES } from '../protocol/mesh';
import { meshSizes, openAxis } from '../protocol/mesh-sizes';
import { parseConfig } from './parse-config';

const ONE_EACH = { pp: 1, dpReplicate: 1, dpShard: 1, cp: 1, tp: 1 };
const shapeOf = (input: unknown) => {
  const config = parseConfig(input);
  return { mode: config.mode, ...PARALLEL_MODES[config.mode].mesh(config).shape };
};

test.each([
  [{}, { mode: 'single' }],
  [
    { mode: 'ddp', worldSize: 4 },
    { mode: 'ddp', dpReplicate: 4 },
  ],
  [
    { mode: 'ddp', mesh: { dpReplicate: 3 } },
    { mode: 'ddp', dpReplicate: 3 },
  ],
  [
    { mode: 'ddp', mesh: { dpReplicate: 2, dpShard: 2, tp: 3 } },
    { mode: 'ddp', dpReplicate: 2 },
  ],
  [
    { mode: 'pipeline', worldSize: 8, mesh: { dpReplicate: 2 } },
    { mode: 'pipeline', pp: 4, dpReplicate: 2 },
  ],
  [{ mesh: { pp: 2, dpReplicate: 3 } }, { mode: 'pipeline', pp: 2, dpReplicate: 3 }],
  // As it was before dpReplicate had its name: mode ddp does not read dp.
  [{ mesh: { pp: 2, dp: 3 } }, { mode: 'pipeline', pp: 2, dpReplicate: 3 }],
  [
    { mode: 'ddp', worldSize: 4, mesh: { dp: 2 } },
    { mode: 'ddp', dpReplicate: 4 },
  ],
  [
    { mode: 'ddp', mesh: { dp: 2 } },
    { mode: 'ddp', dpReplicate: 4 },
  ],
  [
    { mode: 'tensor', worldSize: 8, mesh: { dpReplicate: 2 } },
    { mode: 'tensor', dpReplicate: 2, tp: 4 },
  ],
  [{ mesh: { tp: 3 } }, { mode: 'tensor', tp: 3 }],
  [{ mesh: { dpShard: 3 } }, { mode: 'sharded', dpShard: 3 }],
  [
    { mode: 'sharded', worldSize: 6, mesh: { dpReplicate: 2 } },
    { mode: 'sharded', dpReplicate: 2, dpShard: 3 },
  ],
  [{ mesh: { pp: 2, tp: 2, dpReplicate: 2 } }, { mode: 'pipeline', pp: 2, dpReplicate: 2, tp: 2 }],
  [{ mesh: { dpShard: 2, tp: 2 } }, { mode: 'sharded', dpShard: 2, tp: 2 }],
  [
    { mode: 'sharded', worldSize: 8, mesh: { tp: 2 } },
    { mode: 'sharded', dpShard: 4, tp: 2 },
  ],
  [
    { mode: 'tensor', worldSize: 8, mesh: { dpShard: 2 } },
    { mode: 'tensor', dpShard: 2, tp: 4 },
  ],
  [{ mesh: { pp: 2, dpShard: 2 } }, { mode: 'pipeline', pp: 2, dpShard: 2 }],
  [{ mesh: { pp: 2, dpShard: 2, tp: 2 } }, { mode: 'pipeline', pp: 2, dpShard: 2, tp: 2 }],
])('%j', (input, shape) => {
  expect(shapeOf(input)).toEqual({ ...ONE_EACH, ...shape });
});

test('dp is read as dpReplicate, and never written', () => {
  const config = parseConfig({ mesh: { pp: 2, dp: 2 } });
  const { tp: _, dpShard: _one, ...given } = ONE_EACH;
  expect(config.mesh).toEqual({ ...given, pp: 2, dpReplicate: 2 });
  expect(parseConfig(config)).toEqual(config);
  expect(config).toEqual(parseConfig({ mesh: { pp: 2, dpReplicate: 2 } }));
});

test.each([
  [{ mesh: { pp: 2, dp: 2, dpReplicate: 3 } }, 'mesh.dp is the earlier name of mesh.dpReplicate'],
  [{ mesh: { tp: 2 }, worldSize: 3 }, 'worldSize is 3 and mesh.tp is 2: the mesh has 2 ranks'],
  [{ mode: 'tensor', mesh: { tp: 1 }, worldSize: 2 }, 'worldSize is 2 and mesh.tp is 1: the mesh has 1 rank'],
  [{ mode: 'tensor', mesh: { tp: 2, dpReplicate: 2 }, worldSize: 6 }, 'the mesh has 2 x 2 = 4 ranks'],
  [
    { mode: 'sharded', mesh: { pp: 2, dpShard: 2 } },
    'mode is "sharded" and mesh.pp is 2: the mesh of this mode has the axes mesh.dpReplicate, ',
  ],
  [{ mode: 'tensor', mesh: { pp: 2 } }, 'mode is "tensor" and mesh.pp is 2: the mesh of this mode has the axes'],
  [{ mesh: { pp: 2, dpReplicate: 2 }, worldSize: 3 }, 'the mesh has 2 x 2 = 4 ranks'],
  [{ mesh: { pp: 2, dp: 2, dpReplicate: 1 }, worldSize: 3 }, 'mesh.dp is 2: the mesh has 2 x 2 = 4 ranks'],
  [
    { mode: 'pipeline', mesh: { pp: 16, dpReplicate: 16 } },
    'the mesh has 16 x 16 = 256 ranks, and a world has at most',
  ],
  [
    { mode: 'pipeline', mesh: { pp: 9, dpReplicate: 9 }, worldSize: 64 },
    'mesh.pp is 9 and mesh.dpReplicate is 9: the mesh has 9 x 9 = 81 ranks, and a world has at most 64',
  ],
])('%j is refused', (input, words) => {
  expect(() => parseConfig(input)).toThrow(words);
  expect(() => parseConfig(input)).toThrow(LockstepError);
});

test('a mode reads the mesh, or its shape follows from the number of devices', () => {
  for (const { face, mesh } of Object.values(PARALLEL_MODES)) {
    const config = parseConfig({ mode: face.name, worldSize: 4 });
    const reads = face.sections?.includes('mesh') ?? false;
    expect(face.axes?.includes(openAxis(face.name)) ?? false, face.name).toBe(reads);
    const given = { ...config, mesh: { ...ONE_EACH, dpShard: 2, tp: 2 } };
    if (reads) expect(meshSizes(given), face.name).toMatchObject({ dpShard: 2, tp: 2 });
    else expect(meshSizes(given), face.name).toEqual(meshSizes(config));
    if (face.axes) expect(meshSizes(config), face.name).toEqual(mesh(config).shape);
  }
});

test('the axes of a mode are those of its mesh that may have more than one rank', () => {
  for (const { face, mesh } of Object.values(PARALLEL_MODES)) {
    const { axes = [] } = face;
    expect(AXES.filter((axis) => axes.includes(axis))).toEqual(axes);
    const sizes = Object.fromEntries(axes.map((axis) => [axis, 2]));
    const { shape } = mesh(parseConfig({ mode: face.name, worldSize: 2 ** axes.length, mesh: sizes }));
    expect(AXES.filter((axis) => shape[axis] > 1)).toEqual(axes);
  }
});
