/**
 * Whether web workers exist. Under Node they do not: ranks then run in one thread and send messages to each other
 * directly.
 */
export const canSpawnWorkers = (): boolean => typeof Worker !== 'undefined' && typeof process === 'undefined';
