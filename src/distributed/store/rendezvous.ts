/**
 * How ranks find each other: env://, tcp://host:port and file:///path all lead to a store, a rank and a world size.
 * Called by initProcessGroup.
 */
import { lookup } from '../../base/lookup';
import { torchError } from '../torch-error';
import type { Store } from './key-value-store';

export interface RendezvousRequest {
  readonly initMethod: string;
  readonly rank: number | undefined;
  readonly worldSize: number | undefined;
  /** os.environ of the rank. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface Meeting {
  /** Identifies the store, so that ranks that met here find the same world. */
  readonly id: string;
  readonly store: Store;
  readonly rank: number;
  readonly worldSize: number;
  /** Releases the store: the port is free again, and the file may be deleted. */
  leave(): Promise<void>;
}

/** A rank's calls to its machine; the cluster answers, possibly from another thread. */
export interface StoreAccess {
  tcp(host: string, port: number, serves: boolean, timeoutMs: number): Promise<Pick<Meeting, 'id' | 'store' | 'leave'>>;
  file(path: string, timeoutMs: number): Promise<Pick<Meeting, 'id' | 'store' | 'leave'>>;
}

export async function rendezvous(request: RendezvousRequest, access: StoreAccess): Promise<Meeting> {
  const { initMethod, timeoutMs } = request;
  const scheme = /^(\w+):\/\//.exec(initMethod)?.[1] ?? '';
  if (scheme === 'env') {
    const { rank, worldSize, host, port } = fromEnvironment(request);
    return { ...(await access.tcp(host, port, rank === 0, timeoutMs)), rank, worldSize };
  }
  if (scheme !== 'tcp' && scheme !== 'file')
    throw torchError(
      'RuntimeError',
      `No rendezvous handler for ${scheme === '' ? initMethod : `${scheme}://`}`,
      'Use env://, tcp://host:port or file:///path.',
    );
  const [, host = '', port, path = '', query = ''] =
    /^\w+:\/\/(\[[^\]]*\]|[^/:?]*)(?::(\d+))?([^?]*)(?:\?(.*))?$/.exec(initMethod) ?? [];
  const parameters = new URLSearchParams(query);
  const given = (name: 'rank' | 'world_size', value: number | undefined): number => {
    const text = parameters.get(name);
    const words = name === 'rank' ? 'rank' : 'world size';
    if (value === undefined && text === null)
      throw missing(scheme, `${words} parameter missing`, `Give ${name} to initProcessGroup, or ?${name}= in the URL.`);
    return value ?? int(text ?? '');
  };
  if (scheme === 'file') {
    if (host !== '' || path === '' || path === '/')
      throw missing(
        scheme,
        'path missing',
        'For example file:///mnt/shared/rendezvous: a file that does not exist yet.',
      );
    const [rank, worldSize] = [given('rank', request.rank), given('world_size', request.worldSize)];
    return { ...(await access.file(path, timeoutMs)), rank, worldSize };
  }
  if (port === undefined) throw missing(scheme, 'port number missing', 'For example tcp://10.1.1.20:23456.');
  const [rank, worldSize] = [given('rank', request.rank), given('world_size', request.worldSize)];
  return { ...(await access.tcp(host, Number(port), rank === 0, timeoutMs)), rank, worldSize };
}

function fromEnvironment({ environment, rank, worldSize }: RendezvousRequest) {
  const expected = (name: string): string => {
    const value = lookup(environment, name);
    if (value === undefined)
      throw missing(
        'env',
        `environment variable ${name} expected, but not set`,
        'torchrun sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT for each process.',
      );
    return value;
  };
  return {
    rank: rank ?? int(expected('RANK')),
    worldSize: worldSize ?? int(expected('WORLD_SIZE')),
    host: expected('MASTER_ADDR'),
    port: int(expected('MASTER_PORT')),
  };
}

const missing = (scheme: string, what: string, hint: string) =>
  torchError('ValueError', `Error initializing torch.distributed using ${scheme}:// rendezvous: ${what}`, hint);

function int(text: string): number {
  if (!/^\s*[+-]?\d+\s*$/.test(text))
    throw torchError(
      'ValueError',
      `invalid literal for int() with base 10: '${text}'`,
      'RANK, WORLD_SIZE and MASTER_PORT are whole numbers.',
    );
  return Number(text);
}
