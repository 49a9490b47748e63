/** Names of software adapters that do not report isFallbackAdapter, such as SwiftShader under Dawn. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|software/i;

/** The adapter computes on the processor's cores. */
export const isSoftware = ({ isFallbackAdapter, vendor, architecture, device, description }: GPUAdapterInfo): boolean =>
  isFallbackAdapter || SOFTWARE.test([vendor, architecture, device, description].join(' '));
