import { describe, expect, it } from 'vitest';
import type { Config } from '../../protocol/config';
import { PAGE_CONFIG } from '../edit/page-config';
import { netSizes as sizesOf } from '../model/families';
import { lookAtCsv, withCsv } from './csv-look';

describe('csv-look', () => {
  it('recognises header, columns and classes', () => {
    const look = lookAtCsv('iris.csv', 'a,"b, c",kind\n1.5,2,setosa\n2.5,3,virginica\n3.25,4,other\n');
    expect(look).toEqual({
      file: 'iris.csv',
      rows: 3,
      columns: ['a', 'b, c', 'kind'],
      header: true,
      classes: [undefined, 3, 3],
    });
  });

  it('counts columns of a file without header', () => {
    expect(lookAtCsv('x.csv', '1;2;0\r\n3;4;1\r\n')).toMatchObject({
      columns: ['column 0', 'column 1', 'column 2'],
      rows: 2,
    });
    expect(lookAtCsv('x.csv', ' \n')).toBe(undefined);
  });

  it('fits the net to the target', () => {
    const look = lookAtCsv('x.csv', 'a,b,y\n1,2,0.5\n3,4,1.5\n');
    if (!look) throw new Error('no look');
    const netSizes = (config: Config) => sizesOf(config.model.layers);
    const { config: regression } = withCsv(PAGE_CONFIG, look, 2, 'auto');
    expect(regression.loss.type).toBe('MSELoss');
    expect([netSizes(regression)?.at(0), netSizes(regression)?.at(-1)]).toEqual([2, 1]);
    expect(withCsv(PAGE_CONFIG, { ...look, classes: [2, 2, 3] }, 2, 'auto').config.loss.type).toBe('CrossEntropyLoss');
    expect(withCsv(PAGE_CONFIG, { ...look, classes: [2, 2, 2] }, 2, 'auto').config.loss.type).toBe('BCEWithLogitsLoss');
  });
});
