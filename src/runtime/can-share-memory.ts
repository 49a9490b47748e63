/** Whether threads can share memory here: under Node, and in a page that is cross-origin isolated. */
export const isNode = (): boolean => typeof process !== 'undefined' && typeof process.getBuiltinModule === 'function';

export const canShareMemory = (): boolean =>
  typeof SharedArrayBuffer === 'function' && (isNode() || globalThis.crossOriginIsolated === true);
