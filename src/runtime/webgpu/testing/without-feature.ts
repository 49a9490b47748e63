/** A GPU whose adapters lack a feature, so that devices are opened as on a machine without the feature. */
export const withoutFeature = (gpu: GPU, missing: GPUFeatureName): GPU =>
  ({
    async requestAdapter(options?: GPURequestAdapterOptions) {
      const adapter = await gpu.requestAdapter(options);
      const features = new Set([...(adapter?.features ?? [])].filter((feature) => feature !== missing));
      return adapter && Object.defineProperty(adapter, 'features', { value: features });
    },
  }) as unknown as GPU;
