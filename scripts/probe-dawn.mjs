/**
 * Prints the adapter that Dawn for Node gets, or exits with status 1. It is a process of its own, because a driver may
 * crash.
 */
import { create } from 'webgpu';
import { readArguments } from './read-arguments.mjs';

readArguments({
  command: 'node scripts/probe-dawn.mjs',
  about: 'Prints the adapter that Dawn for Node gets, or "none" with status 1. npm test calls it before the tests.',
});

const state = { gpu: /** @type {GPU | undefined} */ (create([])) };
const adapter = await state.gpu?.requestAdapter();
if (!adapter) {
  console.log('none');
  process.exit(1);
}
console.log([adapter.info.vendor, adapter.info.architecture, adapter.info.description].filter(Boolean).join(' '));
state.gpu = undefined;
