/** The list to be painted, held against torch's sampler; and what is said of a painting. */
import { expect, test } from 'vitest';
import { lesson } from '../../../../learn/samplers/lesson';
import { must } from '../../../base/invariant';
import { DistributedSampler } from '../../../data/distributed-sampler';
import { dealsOf } from '../../record/deal';
import { recordRun } from '../../record/record-run';
import { linkOf } from '../../run-link';
import { settingsOf } from '../drawing';
import { type Deal, entriesOf, kind } from './deal';

const spec = must(lesson.drawings?.['paint'], 'the drawing');

async function recorded(): Promise<readonly Deal[]> {
  const runs = Object.entries(spec.runs ?? {});
  return dealsOf(
    new Map(await Promise.all(runs.map(async ([name, run]) => [name, await recordRun(linkOf(run))] as const))),
  );
}

const data = recorded();
const draw = async (changes: Record<string, string> = {}, isLive = true, width = 900) =>
  kind.draw({ settings: settingsOf(kind, '', changes), width, about: '', data: await data, isLive });

test('every list and every rank’s share of it are the DistributedSampler’s, in all runs', async () => {
  const deals = await data;
  expect(deals).toHaveLength(10);
  for (const { name, rows, read } of deals) {
    const [worldSize = 0, drop] = name.split(' ').map(Number);
    expect(read).toHaveLength(3);
    read.forEach((ranks, epoch) => {
      const shares = ranks.map((_, rank) => {
        const sampler = new DistributedSampler({ rows, worldSize, rank, dropLast: drop === 1 });
        sampler.setEpoch(epoch);
        return [...sampler.indices()];
      });
      expect(ranks, `${name}, epoch ${epoch}`).toEqual(shares);
      entriesOf(ranks).forEach(({ row, rank }, index) => {
        expect(rank).toBe(index % worldSize);
        expect(row).toBe(shares[rank]?.[Math.floor(index / worldSize)]);
      });
    });
  }
});

test('a painting is compared with the sampler; right, wrong and blank entries are counted', async () => {
  const value = async (painted: string) => (await draw({ painted })).values.find(({ id }) => id === 'right')?.value;
  expect(await value('')).toBe(0);
  expect(await value('0123')).toBe(4);
  expect(await value('0122')).toBe(3);
  expect(await value('012301230123')).toBe(12);
  expect((await draw({ painted: '0122' })).says).toContain('1 is wrong; 8 are blank');
  expect((await draw({ painted: '012301230123' })).says).toContain('All right');
  // Of another world: rank 3 does not exist among two ranks.
  expect((await draw({ ranks: '2', painted: '0123' })).svg).not.toContain('rank 3');
});

test('each entry of a live picture is a button that paints; before a script there is none', async () => {
  const { svg } = await draw({ brush: '2', painted: '01' });
  expect(svg.match(/data-paints/g)).toHaveLength(12);
  expect(svg).toContain('data-to="012........."');
  expect(svg).toContain('role="group"');
  expect(svg).toMatch(/aria-label="entry 1, row \d: rank 1"/);
  expect((await draw({}, false)).svg).not.toContain('data-press');
  expect((await draw({ show: 'sampler' })).svg).not.toContain('data-press');
});

test('drop_last leaves rows to nobody, padding reads rows twice', async () => {
  const of = async (changes: Record<string, string>, id: string) =>
    (await draw(changes)).values.find((own) => own.id === id)?.value;
  expect(await of({ ranks: '8' }, 'again')).toBe(6);
  expect(await of({ ranks: '8', dropLast: '1' }, 'left')).toBe(2);
  expect(await of({ ranks: '5' }, 'again')).toBe(0);
});
