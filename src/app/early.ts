/**
 * Starts the session's worker, which takes as long to fetch and to begin as the page does, so that both come at the
 * same time. The built page has it as a script of its own, which does not wait for the others (vite.config.ts);
 * main.tsx imports it, so that it has run whenever a session is started.
 */
import { startWorker } from './run/session-worker';

try {
  window.lockstepEarly = startWorker();
} catch {
  // The page tries again when it opens its session, and says what is wrong.
}
