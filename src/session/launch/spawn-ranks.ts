/** Ranks of the user's own in workers, for window.lockstep.spawn. Loaded when it is first called. */
export { type SpawnWorkersOptions as SpawnOptions, spawnWorkers } from '../../distributed/launch/spawn-workers';
