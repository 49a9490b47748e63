/**
 * Text on request: checks the user's request and lets the model write, and returns to the event loop between tokens, so
 * that training and control continue. Called by inference.ts.
 */
import { LockstepError } from '../base/errors';
import type { ModelState } from './evaluator';
import type { Decoder } from './views/decoder';
import type { Language } from './views/language';
import { continuation } from './views/sample-text';

const MOST_TOKENS = 5000;
const TURN_MS = 20;

export interface GenerateRequest {
  readonly prompt: string;
  readonly length: number;
  readonly temperature: number;
  readonly seed: number;
}

/** Returns only the text after the prompt. */
export async function generate(
  { tokens }: Language,
  decoder: Decoder,
  state: ModelState,
  request: GenerateRequest,
): Promise<string> {
  const prompt = checked(request, tokens.encode(request.prompt));
  const drawn = continuation({ decoder, state, prompt, temperature: request.temperature, seed: request.seed });
  const written: number[] = [];
  let turn = performance.now();
  while (written.length < request.length) {
    const { done, value } = drawn.next();
    if (done) {
      throw new LockstepError(
        'not-finite',
        'probability tensor contains either `inf`, `nan` or element < 0',
        'The weights are no longer finite. Reset the run, and lower the learning rate.',
      );
    }
    written.push(value);
    if (performance.now() - turn < TURN_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    turn = performance.now();
  }
  return tokens.decode(written);
}

function checked({ length, temperature, seed }: GenerateRequest, prompt: Int32Array): Int32Array {
  const whole = (value: number, most: number) => Number.isInteger(value) && value >= 0 && value <= most;
  check('length', length, whole(length, MOST_TOKENS), `a whole number from 0 to ${MOST_TOKENS}`);
  check('temperature', temperature, Number.isFinite(temperature) && temperature >= 0, 'a number from 0 on');
  check('seed', seed, whole(seed, 2 ** 32 - 1), `a whole number from 0 to ${2 ** 32 - 1}`);
  if (prompt.length > 0) return prompt;
  throw new LockstepError('data', 'The prompt is empty.', 'Begin with at least one token of the data.');
}

function check(name: string, value: number, holds: boolean, expected: string): void {
  if (holds) return;
  throw new LockstepError('config', `${name} is ${value}, expected ${expected}.`, `Change the ${name}.`, {
    [name]: value,
  });
}
