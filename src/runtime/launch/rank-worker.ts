/** The worker entry of a rank; nothing else. Spawned by worker-world.ts. */
import * as Comlink from 'comlink';
import { sendStrayRejections } from '../../base/stray-rejections';
import { createRank } from './rank';

sendStrayRejections(self);
Comlink.expose(createRank(() => self.close(), { mayBlock: true }));
