/** How many bytes of tensors this page or process can hold: the drawn weights, and the CPU device's buffers. */

/** Browsers close a page that takes much more, without a message. */
const OF_A_PAGE = 2 ** 31;
/** The rest is for other programs, and for this program's code. */
const SHARE_OF_MACHINE = 0.9;

export function hostMemoryLimit(): number {
  if (typeof process === 'undefined' || typeof process.getBuiltinModule !== 'function') return OF_A_PAGE;
  const machine = process.getBuiltinModule('node:os').totalmem();
  // The limit of a container; without a container, 0 or more than any machine has.
  const container = process.constrainedMemory() || machine;
  return SHARE_OF_MACHINE * Math.min(machine, container);
}

/** Whether the limit is a page's; the error then names the command line. */
export const isPage = (limit: number): boolean => limit === OF_A_PAGE;
