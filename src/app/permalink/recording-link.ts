/** The recorded examples by their names in links. Part of the first load; examples.ts describes the examples. */
export const EXAMPLE_IDS = ['slow-rank', 'small-kernels', 'exposed', 'gpu-busy', 'gpu-idle'] as const;
export type ExampleId = (typeof EXAMPLE_IDS)[number];

export const isExample = (text: string | undefined): text is ExampleId => EXAMPLE_IDS.some((id) => id === text);
