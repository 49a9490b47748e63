/** The worker entry of a rank; nothing else. Spawned by worker-world.ts. */
import * as Comlink from 'comlink';
import { createRank } from './rank';

Comlink.expose(createRank(() => self.close()));
