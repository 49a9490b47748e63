/**
 * Receives the reports of a PyTorch run's ranks: each connects to this process three times, for its standard output,
 * its standard error, and the report of its end (rank.py is the other end). Passes them on as events without judging
 * them. Opened by run-ranks.ts.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';

/** A process of a rank; after a restart, the rank has a new process. */
export interface TorchProcess {
  readonly rank: number;
  readonly localRank: number;
  readonly node: number;
  /** How often all ranks had restarted before this process began. */
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

/** A rank's report about itself; `time` in seconds, by the clock of its machine. */
export type Told = { readonly time: number } & (
  | { readonly failed: Failure }
  /** The rank ended by sys.exit(), perhaps with a message. */
  | { readonly ended: number; readonly said?: string }
  | { readonly where: CodePlace }
);

export interface RankEvents {
  /** A process has begun. */
  began(process: TorchProcess): void;
  wrote(process: TorchProcess, stream: 'stdout' | 'stderr', line: string): void;
  told(process: TorchProcess, told: Told): void;
  /** A process is gone, with or without a report of its end. */
  gone(process: TorchProcess): void;
}

export interface RankServer {
  /** The server's address, for the ranks' variable LOCKSTEP_RANKS. */
  readonly address: string;
  /** Asks the process where it is; the answer arrives as an event. */
  ask(process: TorchProcess): void;
  /** Closes the server; resolves when everything that the processes sent has been passed on. */
  close(): Promise<void>;
}

interface Hello extends TorchProcess {
  readonly token: string;
  readonly stream: 'control' | 'stdout' | 'stderr';
}

const HOST = '127.0.0.1';
/** A line without an end is passed on in pieces of this many characters. */
const LONGEST_LINE = 100_000;
/** The most time to wait for connections that surviving child processes of ranks may hold open. */
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
    // A killed process resets its connections.
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

/** Undefined for a connection that is not from our ranks. */
function readHello(line: string, token: string): Hello | undefined {
  const hello = parse<Hello>(line);
  return hello?.token === token ? hello : undefined;
}

/** Undefined if a process was killed in the middle of a line. */
function parse<T>(line: string): T | undefined {
  try {
    return JSON.parse(line) as T;
  } catch {
    return undefined;
  }
}

/** Splits bytes into lines; at the end, passes on an incomplete last line. */
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
