import { expect, it } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import type { DeviceRole } from '../../protocol/session-info';
import { type EndedStep, replicasApart } from './replicas-apart';

const role: DeviceRole = { title: 'rank', beside: undefined, hasRows: true, keepsState: true };
const ROOMS = [
  { x: 0, y: 0, width: 200, height: 100 },
  { x: 300, y: 0, width: 200, height: 100 },
  { x: 300, y: 140, width: 200, height: 100 },
];
const ended = (replicaDivergence: number, more: Partial<EndedStep> = {}): EndedStep => ({
  info: { roles: [role, role, role], ranks: 3 },
  step: 7,
  snapshot: { step: 7, replicaDivergence },
  ...more,
});

it('says between neighbours that replicas are the same bits, or by how much they differ', () => {
  const equal = replicasApart(ROOMS, ended(0));
  expect(equal.map(({ text, rect }) => [text, rect.x + rect.width / 2, rect.y + rect.height / 2])).toEqual([
    ['= Δ 0', 250, 50],
    ['= Δ 0', 400, 120],
  ]);
  expect(replicasApart(ROOMS, ended(0.25)).map(({ text, equal: same }) => [text, same])[0]).toEqual([
    '≠ Δ 0.25',
    false,
  ]);
});

it('says nothing of another step, of one copy, of parts of layers, and where there is no room between', () => {
  expect(replicasApart(ROOMS, undefined)).toEqual([]);
  expect(replicasApart(ROOMS, ended(0, { step: 8 }))).toEqual([]);
  expect(replicasApart(ROOMS, ended(0, { info: { roles: [role, role], ranks: 1 } }))).toEqual([]);
  const made = { ...role, keepsState: false };
  expect(replicasApart(ROOMS, ended(0, { info: { roles: [role, made], ranks: 2 } }))).toEqual([]);
  const roles = [role, role, role];
  const { mesh } = parseConfig({ mode: 'ddp', worldSize: 3 });
  const cut = { roles, ranks: 3, config: { mesh: { ...mesh, tp: 3 } } };
  expect(replicasApart(ROOMS, ended(0, { info: cut }))).toEqual([]);
  const tight = ROOMS.map((room, i) => ({ ...room, x: 205 * i, y: 0 }));
  expect(replicasApart(tight, ended(0))).toEqual([]);
});
