/** Keeps what a command prints in a test from standard output. Gives what the test has printed so far. */
import { afterEach, beforeEach, vi } from 'vitest';

export function captureStdout(): () => string {
  let text = '';
  beforeEach(() => {
    text = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((piece) => {
      text += String(piece);
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return () => text;
}
