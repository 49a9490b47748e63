/** The worker entry of the session; nothing else. The page starts it in app/run/session-client.ts. */
import * as Comlink from 'comlink';
import { sendStrayRejections } from '../base/stray-rejections';
import { browserGpu } from '../runtime/webgpu/browser-gpu';
import { withEarlyAdapter } from '../runtime/webgpu/early-adapter';
import { createSession } from './session';

sendStrayRejections(self);
Comlink.expose(createSession(withEarlyAdapter(browserGpu())));
