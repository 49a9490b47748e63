/**
 * A session in this thread in place of a worker, with the interface that the page uses: it runs figures at build, and
 * in tests of lessons' claims.
 */
import type { SessionClient, SessionListener } from '../../app/run/session-client';
import type { SessionEvent } from '../../protocol/session-events';
import type { ShownViews } from '../../protocol/snapshot';
import { createSession } from '../../session/session';

/** Computes the decision field only if `shown` includes it. */
export function startInProcess(listener: SessionListener, shown: ShownViews = { field: false }): SessionClient {
  const api = createSession(undefined, shown);
  let ports: readonly MessagePort[] = [];
  let control: MessagePort | undefined;
  const close = () => {
    for (const port of ports) port.close();
    ports = [];
    control = undefined;
  };
  return {
    traceStep: api.traceStep,
    reset: api.reset,
    ask: (question) => question(api),
    askApart: (question) => question(api),
    async open(config, files, from) {
      const events = new MessageChannel();
      const commands = new MessageChannel();
      events.port1.onmessage = ({ data }: MessageEvent<SessionEvent>) => listener.onEvent(data);
      const next = [events.port1, events.port2, commands.port1, commands.port2];
      try {
        const info = await api.open(config, files, events.port2, commands.port2, from);
        close();
        ports = next;
        control = commands.port1;
        return info;
      } catch (error) {
        for (const port of next) port.close();
        throw error;
      }
    },
    control: (message) => control?.postMessage(message),
    end() {
      void api.dispose().then(close);
    },
  };
}
