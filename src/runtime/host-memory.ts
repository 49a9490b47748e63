/** How many bytes of tensors this page or process can hold: the weights that it draws, and the CPU device's buffers. */

/** Browsers end a page that takes much more, without a word. */
const OF_A_PAGE = 2 ** 31;
/** What a machine's other programs, and this one's own code, need. */
const SHARE_OF_MACHINE = 0.9;

export function hostMemoryLimit(): number {
  if (typeof process === 'undefined' || typeof process.getBuiltinModule !== 'function') return OF_A_PAGE;
  const machine = process.getBuiltinModule('node:os').totalmem();
  // Of a container; 0, or more than any machine has, where there is none.
  const container = process.constrainedMemory() || machine;
  return SHARE_OF_MACHINE * Math.min(machine, container);
}

/** A page says what runs the same model without it. */
export const isPage = (limit: number): boolean => limit === OF_A_PAGE;
