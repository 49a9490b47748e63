/** The recorded examples by the names that links have for them. Of the first load: what they are is in examples.ts. */
export const EXAMPLE_IDS = ['slow-rank', 'small-kernels', 'exposed', 'gpu-busy', 'gpu-idle'] as const;
export type ExampleId = (typeof EXAMPLE_IDS)[number];

export const isExample = (text: string | undefined): text is ExampleId => EXAMPLE_IDS.some((id) => id === text);
