import { describe, expect, test } from 'vitest';
import type { SettingControl } from '../../lesson';
import { onValue, shapeOf, valueNow, wordsOf } from './settings';

const control = (values: string[], words?: string[]): SettingControl => ({
  key: 'world',
  label: 'Ranks',
  values,
  ...(words ? { words } : {}),
});

describe('what a setting is now', () => {
  const world = control(['2', '4', '8']);

  test('as the link says', () => expect(valueNow('mode=ddp&world=4&at=1', world, {})).toBe('4'));
  test('as it was changed', () => expect(valueNow('mode=ddp&world=4&at=1', world, { world: '8' })).toBe('8'));
  test('by default, if the link does not contain it', () =>
    expect(valueNow('mode=ddp&at=1', { ...world, key: 'overlap', values: ['0', '1'] }, {})).toBe('1'));
  test('none of its values', () => expect(valueNow('mode=ddp&world=3&at=1', world, {})).toBeUndefined());
  test('of the lab, whatever round is shown', () =>
    expect(valueNow('lab=allReduce(ranks:4,round:3)', { ...world, key: 'ranks' }, { round: '5' })).toBe('4'));
});

describe('as what it is shown', () => {
  test('more than three values are a slider', () => expect(shapeOf(control(['1', '2', '3', '4']))).toBe('slider'));
  test('two or three are a choice', () => {
    expect(shapeOf(control(['1', '2', '3']))).toBe('choice');
    expect(shapeOf(control(['2', '4']))).toBe('choice');
    expect(shapeOf(control(['0', '1'], ['ring', 'tree']))).toBe('choice');
  });
  test('off and on are a switch', () => {
    expect(shapeOf(control(['0', '1']))).toBe('switch');
    expect(onValue(control(['1', '0']))).toBe('1');
    expect(onValue(control(['b', 'a'], ['on', 'off']))).toBe('b');
    expect(onValue(control(['0', '1'], ['ring', 'tree']))).toBeUndefined();
  });
  test('in its words', () => {
    expect(wordsOf(control(['0', '1'], ['off', 'on']), '1')).toBe('on');
    expect(wordsOf(control(['2', '4']), '4')).toBe('4');
    expect(wordsOf(control(['2', '4']), undefined)).toBe('');
  });
});
