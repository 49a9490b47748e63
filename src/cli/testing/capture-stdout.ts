/** Captures a command's standard output in a test. Returns the output so far. */
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
