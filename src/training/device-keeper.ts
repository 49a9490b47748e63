/**
 * Chooses the device that computes: 'auto' takes WebGPU on real hardware, and the CPU if only a software adapter
 * exists. Keeps the GPUDevice across re-opened sessions, so that kernels compile once. Notices explain the choice.
 */
import { LockstepError } from '../base/errors';
import type { Config } from '../protocol/config';
import type { Notice } from '../protocol/notice';
import { type OpenedDevice, openDevice } from '../runtime/webgpu/device';

export interface DeviceChoice {
  readonly kind: 'webgpu' | 'cpu';
  readonly opened: OpenedDevice | undefined;
  readonly notices: readonly Notice[];
}

export class DeviceKeeper {
  private opened: OpenedDevice | undefined;

  /** strict: a missing WebGPU device that the user asked for is an error, not a notice. */
  constructor(
    private readonly gpu: GPU | undefined,
    private readonly strict: boolean,
  ) {}

  async choose(wanted: Config['device']): Promise<DeviceChoice> {
    if (wanted === 'cpu') return { kind: 'cpu', opened: undefined, notices: [] };
    try {
      const opened = await this.open();
      if (!opened.info.software) return { kind: 'webgpu', opened, notices: [] };
      if (wanted === 'auto')
        return { kind: 'cpu', opened: undefined, notices: [softwareNotice(opened.info.adapter, 'cpu')] };
      return { kind: 'webgpu', opened, notices: [softwareNotice(opened.info.adapter, 'webgpu')] };
    } catch (error) {
      if (!(error instanceof LockstepError) || (this.strict && wanted === 'webgpu')) throw error;
      const notice: Notice = {
        level: wanted === 'webgpu' ? 'warning' : 'info',
        id: error.code,
        text: `${error.message} Training runs on the CPU.`,
        hint: error.hint,
      };
      return { kind: 'cpu', opened: undefined, notices: [notice] };
    }
  }

  /** Forgets a lost device; the next choice asks for a new one. */
  forget(): void {
    this.opened?.close();
    this.opened = undefined;
  }

  private async open(): Promise<OpenedDevice> {
    if (this.opened) return this.opened;
    const opened = await openDevice(this.gpu);
    this.opened = opened;
    void opened.lost.then(() => {
      if (this.opened === opened) this.opened = undefined;
    });
    return opened;
  }
}

function softwareNotice(adapter: string, used: 'cpu' | 'webgpu'): Notice {
  if (used === 'webgpu') {
    return {
      level: 'info',
      id: 'software-adapter',
      text: `WebGPU runs on a software adapter here: ${adapter}.`,
      hint: 'The CPU device is faster for small nets on this machine.',
    };
  }
  return {
    level: 'info',
    id: 'software-adapter',
    text: `The only WebGPU adapter here is a software one (${adapter}), so training runs on the CPU device, which is faster.`,
    hint: 'Choose device "webgpu" to run the WGSL kernels all the same.',
  };
}
