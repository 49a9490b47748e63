/** The worker entry of a rank of spawnWorkers(); nothing else. */
import * as Comlink from 'comlink';
import { createRankProcess } from './rank-process';

Comlink.expose(createRankProcess());
