/** The worker entry of the session; nothing else. The page starts it in app/session.ts. */
import * as Comlink from 'comlink';
import { createSession } from './session';

Comlink.expose(createSession(navigator.gpu));
