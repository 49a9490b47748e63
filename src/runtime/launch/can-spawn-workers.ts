/**
 * Are there web workers here? Under Node there are none: ranks then run in one thread, joined by the same MessagePorts.
 */
export const canSpawnWorkers = (): boolean => typeof Worker !== 'undefined' && typeof process === 'undefined';
