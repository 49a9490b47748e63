/**
 * A rank of a ring all-reduce over MessagePorts, with only the necessary work. 'hops': in each round the rank copies a
 * chunk into a mappable buffer, reads it back, copies it out and posts it to the next rank's port, and writes the chunk
 * that has arrived from the other side into memory: a chain of 2(N-1) readbacks, transfers and writes, with exactly the
 * messages of the ring. 'host': the rank reads the buffer back once, chunks go round the ring, and the rank writes the
 * buffer once, as gloo does. There is no sum, no plan and no queue. Hand-written WebGPU code; the yardsticks of
 * studies/all-reduce-ports.ts.
 */
const MAP_READ = 1;
const COPY_SRC = 4;
const COPY_DST = 8;
const STORAGE = 128;

export interface ChainPlan {
  readonly rank: number;
  readonly ranks: number;
  /** Bytes of the whole buffer. */
  readonly bytes: number;
  readonly way: 'hops' | 'host';
}

export interface ChainRank {
  run(count: number): Promise<void>;
  dispose(): void;
}

/** `next`: the port to the rank to which this rank sends; `before`: the port from which it receives. */
export async function createChainRank(
  gpu: GPU,
  { rank, ranks, bytes, way }: ChainPlan,
  next: MessagePort,
  before: MessagePort,
): Promise<ChainRank> {
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error('no adapter');
  const device = await adapter.requestDevice();
  const chunk = bytes / ranks;
  const memory = device.createBuffer({ size: bytes, usage: STORAGE | COPY_SRC | COPY_DST });
  const staging = device.createBuffer({ size: way === 'hops' ? chunk : bytes, usage: MAP_READ | COPY_DST });
  const arrived: ArrayBuffer[] = [];
  let wake: (data: ArrayBuffer) => void = (data) => void arrived.push(data);
  const keep = wake;
  before.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => wake(data);
  const message = (): Promise<ArrayBuffer> => {
    const data = arrived.shift();
    if (data) return Promise.resolve(data);
    return new Promise((resolve) => {
      wake = (came) => {
        wake = keep;
        resolve(came);
      };
    });
  };
  const rounds = 2 * (ranks - 1);
  const offset = (round: number): number => ((rank + round) % ranks) * chunk;
  const readBack = async (from: number, size: number): Promise<ArrayBuffer> => {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(memory, from, staging, 0, size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(MAP_READ);
    const data = staging.getMappedRange().slice(0);
    staging.unmap();
    return data;
  };
  const hops = async (): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      const data = await readBack(offset(round), chunk);
      next.postMessage(data, [data]);
      device.queue.writeBuffer(memory, offset(round + 1), await message());
    }
  };
  const onHost = async (): Promise<void> => {
    const image = await readBack(0, bytes);
    for (let round = 0; round < rounds; round++) {
      const data = image.slice(offset(round), offset(round) + chunk);
      next.postMessage(data, [data]);
      new Uint8Array(image).set(new Uint8Array(await message()), offset(round + 1));
    }
    device.queue.writeBuffer(memory, 0, image);
  };
  return {
    async run(count) {
      for (let done = 0; done < count; done++) await (way === 'hops' ? hops() : onHost());
      await device.queue.onSubmittedWorkDone();
    },
    dispose() {
      next.close();
      before.close();
      device.destroy();
    },
  };
}
