/** `navigator.gpu` of this page or worker; undefined without WebGPU, and under Node, where the caller brings Dawn. */
export const browserGpu = (): GPU | undefined => (typeof navigator === 'undefined' ? undefined : navigator.gpu);
