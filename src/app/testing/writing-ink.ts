/** An ink for tests that draws nothing and records the written texts. */
import type { Ink } from '../draw/ink';
import { palette } from './palette';

/** `advance`: how wide a character of the font is, as a share of its size. */
export function writingInk(advance: number): { readonly ink: Ink; readonly written: readonly string[] } {
  const written: string[] = [];
  const context = new Proxy({} as Record<string, unknown>, {
    get: (_, key) => (key === 'fillText' ? (text: string) => written.push(text) : () => undefined),
    set: () => true,
  });
  const ink: Ink = {
    context: context as unknown as CanvasRenderingContext2D,
    palette,
    measure: (text, { size }) => advance * size * text.length,
    pixelRatio: 1,
    heat: () => undefined,
    hatch: () => '',
  };
  return { ink, written };
}
