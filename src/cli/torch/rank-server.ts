/**
 * Where the ranks of a run in PyTorch report to: each connects to this process three times, for what it writes to
 * standard output and to standard error, and to say how it ended (rank.py is the other end). Gives what comes as
 * events; judges nothing. Opened by run-ranks.ts.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';

/** A process of a rank; after a restart it is another one. */
export interface TorchProcess {
  readonly rank: number;
  readonly localRank: number;
  readonly node: number;
  /** How often all ranks had started again before it. */
  readonly restart: number;
  readonly pid: number;
  /** MASTER_ADDR and MASTER_PORT. */
  readonly master: readonly [host: string, port: number];
}

/** A place in the script, and the function that was called there, as far as they are known. */
export interface CodePlace {
  readonly file?: string;
  readonly line?: number;
  readonly function?: string;
  readonly text?: string;
  /** 'all_reduce of distributed_c10d.py'. */
  readonly inside?: string;
}

export interface Failure extends CodePlace {
  readonly type: string;
  readonly message: string;
}

/** What a rank says of itself; `time` in seconds, by the clock of its machine. */
export type Told = { readonly time: number } & (
  | { readonly failed: Failure }
  /** The rank ended by sys.exit(), perhaps with a message. */
  | { readonly ended: number; readonly said?: string }
  | { readonly where: CodePlace }
);

export interface RankEvents {
  /** A process is there. */
  began(process: TorchProcess): void;
  wrote(process: TorchProcess, stream: 'stdout' | 'stderr', line: string): void;
  told(process: TorchProcess, told: Told): void;
  /** It is gone, whether it said so or not. */
  gone(process: TorchProcess): void;
}

export interface RankServer {
  /** For the variable LOCKSTEP_RANKS of the ranks. */
  readonly address: string;
  /** Asks the process where it is; it tells. */
  ask(process: TorchProcess): void;
  /** When all that the processes sent has been given out. */
  close(): Promise<void>;
}

interface Hello extends TorchProcess {
  readonly token: string;
  readonly stream: 'control' | 'stdout' | 'stderr';
}

const HOST = '127.0.0.1';
/** A line without an end is given out in pieces of this many characters. */
const LONGEST_LINE = 100_000;
/** What descendants of ranks that live on may hold open is not waited for longer. */
const CLOSE_MS = 2000;

export async function openRankServer(events: RankEvents): Promise<RankServer> {
  const token = randomUUID();
  const controls = new Map<number, Socket>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let process: Hello | undefined;
    const lines = lineReader((line) => {
      if (process === undefined) {
        process = readHello(line, token);
        if (process === undefined) socket.destroy();
        else if (process.stream === 'control') {
          controls.set(process.pid, socket);
          events.began(process);
        }
        return;
      }
      if (process.stream !== 'control') return events.wrote(process, process.stream, line);
      const told = parse<Told>(line);
      if (told !== undefined) events.told(process, told);
    });
    socket.on('data', (data) => lines.take(data));
    // A process that was killed resets its connections.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      lines.end();
      sockets.delete(socket);
      if (process?.stream !== 'control') return;
      controls.delete(process.pid);
      events.gone(process);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, HOST, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    address: `${HOST} ${port} ${token}`,
    ask: ({ pid }) => void controls.get(pid)?.write('where\n'),
    close: async () => {
      const ends = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      const closed = Promise.all([...ends, new Promise((resolve) => server.close(resolve))]);
      const late = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, CLOSE_MS);
      await closed;
      clearTimeout(late);
    },
  };
}

/** Undefined where it is none of ours. */
function readHello(line: string, token: string): Hello | undefined {
  const hello = parse<Hello>(line);
  return hello?.token === token ? hello : undefined;
}

/** Undefined where a process was killed in the middle of a line. */
function parse<T>(line: string): T | undefined {
  try {
    return JSON.parse(line) as T;
  } catch {
    return undefined;
  }
}

/** Bytes into lines; what the last one lacks of its end is given out with it. */
function lineReader(give: (line: string) => void): { take(data: Buffer): void; end(): void } {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return {
    take(data) {
      const lines = (rest + decoder.write(data)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) give(line.replace(/\r$/, ''));
      if (rest.length <= LONGEST_LINE) return;
      give(rest);
      rest = '';
    },
    end() {
      if (rest !== '') give(rest);
      rest = '';
    },
  };
}
