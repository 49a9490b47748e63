/** The host's clock on a zero that workers share, in microseconds. */
export const nowUs = (): number => (performance.timeOrigin + performance.now()) * 1000;
