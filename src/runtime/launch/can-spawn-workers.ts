/**
 * Whether web workers exist. Under Node they do not: ranks then run in one thread, connected by the same MessagePorts.
 */
export const canSpawnWorkers = (): boolean => typeof Worker !== 'undefined' && typeof process === 'undefined';
