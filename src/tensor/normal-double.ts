/** Normals in float64. No run draws them; fixtures of torch's generator test them. Beside `distributions.ts`. */
import type { Generator } from './generator';
import { type FillUniform, fillByBlocks, NORMAL_FILL_MIN } from './normal';

/** `torch.randn(n, dtype=torch.float64)`; the last bits depend on the platform's log, sin and cos. */
export function randnDouble(generator: Generator, n: number): Float64Array<ArrayBuffer> {
  const out = new Float64Array(n);
  if (n >= NORMAL_FILL_MIN) normalFillDouble(out, () => generator.uniform53());
  else for (let i = 0; i < n; i++) out[i] = generator.polar();
  return out;
}

/** In blocks as for float32, with uniforms of 53 bits. */
function normalFillDouble(data: Float64Array, u53: () => number): void {
  const fill: FillUniform<Float64Array> = (into, start, end) => {
    for (let i = start; i < end; i++) into[i] = u53();
  };
  fillByBlocks(data, fill, (start) => {
    for (let i = start; i < start + NORMAL_FILL_MIN / 2; i++) {
      const radius = Math.sqrt(-2 * Math.log(1 - (data[i] as number)));
      const angle = 2 * Math.PI * (data[i + NORMAL_FILL_MIN / 2] as number);
      // Adds 0 like torch, which multiplies by 1 and adds 0; that turns -0 into 0.
      data[i] = radius * Math.cos(angle) + 0;
      data[i + NORMAL_FILL_MIN / 2] = radius * Math.sin(angle) + 0;
    }
  });
}
