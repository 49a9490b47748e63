/** The names that sentences mark: a layer and a bucket, as marked.ts reads them. */
import { moduleWords } from '../words';

export const layerMark = (module: string): string => `«${moduleWords(module)}»`;
export const bucketMark = (bucket: number | undefined): string => `‹bucket ${bucket ?? 0}›`;
