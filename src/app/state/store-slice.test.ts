import { expect, test } from 'vitest';
import { PAGE_CONFIG } from '../edit/page-config';
import { DEFAULT_VIEW } from '../permalink/permalink-view';
import { createAppStore } from './store';
import { readSlice, sliceOf, writeSlice } from './store-slice';

const COUNT = sliceOf('count', 0);
const WORD = sliceOf<string | undefined>('word', 'none');

test('a slice has its first value until one is written, and other slices and other pages keep theirs', () => {
  const [store, other] = [createAppStore(PAGE_CONFIG, DEFAULT_VIEW), createAppStore(PAGE_CONFIG, DEFAULT_VIEW)];
  expect(readSlice(store.getState(), COUNT)).toBe(0);
  writeSlice(store, COUNT, 3);
  writeSlice(store, WORD, undefined);
  expect(readSlice(store.getState(), COUNT)).toBe(3);
  expect(readSlice(store.getState(), WORD)).toBeUndefined();
  expect(readSlice(other.getState(), COUNT)).toBe(0);
  expect(readSlice(other.getState(), WORD)).toBe('none');
});

test('listeners of the store are notified of a slice, and the other state is the same', () => {
  const store = createAppStore(PAGE_CONFIG, DEFAULT_VIEW);
  const before = store.getState();
  const heard: number[] = [];
  store.subscribe((state) => heard.push(readSlice(state, COUNT)));
  writeSlice(store, COUNT, 1);
  expect(heard).toEqual([1]);
  expect({ ...store.getState(), slices: before.slices }).toEqual(before);
});
