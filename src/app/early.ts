/**
 * Starts the session's worker early, because fetching and starting it takes as long as the page itself. The built page
 * loads this file as a separate script, which does not wait for the others (vite.config.ts); main.tsx imports it, so
 * that it has run before any session is started.
 */
import { startWorker } from './run/session-worker';

try {
  window.lockstepEarly = startWorker();
} catch {
  // The page tries again when it opens its session, and then reports the error.
}
