/**
 * A session as the page holds one, over real MessagePorts, for tests: collects its events and lets a test wait for one.
 * Nobody sees the decision field, unless a test says that it is `shown`.
 */
import { must } from '../../base/invariant';
import type { ConfigInput } from '../../protocol/config';
import type { ControlMessage, Files, SessionApi } from '../../protocol/session';
import type { SessionEvent } from '../../protocol/session-events';
import type { SessionInfo } from '../../protocol/session-info';
import type { ShownViews } from '../../protocol/snapshot';
import { createSession } from '../session';

export interface TestSession {
  readonly api: SessionApi;
  readonly info: SessionInfo;
  readonly events: readonly SessionEvent[];
  control(message: ControlMessage): void;
  /** The first event from now on (or, with `past`, at all) that matches. */
  until<T extends SessionEvent['type']>(
    type: T,
    match?: (event: Extract<SessionEvent, { type: T }>) => boolean,
  ): Promise<Extract<SessionEvent, { type: T }>>;
  close(): Promise<void>;
}

export async function openTestSession(
  config: ConfigInput,
  options: { readonly gpu?: GPU; readonly files?: Files; readonly shown?: ShownViews } = {},
): Promise<TestSession> {
  const api = createSession(options.gpu, options.shown ?? { field: false });
  const eventChannel = new MessageChannel();
  const controlChannel = new MessageChannel();
  const events: SessionEvent[] = [];
  const watchers = new Set<(event: SessionEvent) => void>();
  eventChannel.port1.onmessage = ({ data }: MessageEvent<SessionEvent>) => {
    events.push(data);
    for (const watch of watchers) watch(data);
  };
  const closePorts = () => {
    for (const { port1, port2 } of [eventChannel, controlChannel]) {
      port1.close();
      port2.close();
    }
  };
  let info: SessionInfo | undefined;
  try {
    info = await api.open(config, options.files ?? {}, eventChannel.port2, controlChannel.port2);
  } catch (error) {
    closePorts();
    throw error;
  }
  return {
    api,
    info: must(info, 'session info'),
    events,
    control: (message) => controlChannel.port1.postMessage(message),
    until: (type, match = () => true) =>
      new Promise((resolve) => {
        const watch = (event: SessionEvent) => {
          type Wanted = Extract<SessionEvent, { type: typeof type }>;
          if (event.type !== type || !match(event as Wanted)) return;
          watchers.delete(watch);
          resolve(event as Wanted);
        };
        watchers.add(watch);
      }),
    async close() {
      await api.dispose();
      closePorts();
    },
  };
}
