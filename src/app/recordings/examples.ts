/** The recorded examples: real runs of PyTorch, whose files are part of the site and are fetched on request. */
import { LockstepError } from '../../base/errors';
import { loadPart } from '../../base/load-part';
import type { GivenFile } from '../looks/dropped-folders';
import type { ExampleId } from '../permalink/recording-link';

interface Example {
  /** The name on the example's button. */
  readonly name: string;
  readonly title: string;
  readonly what: string;
  readonly files: readonly string[];
}

export const EXAMPLES: Readonly<Record<ExampleId, Example>> = {
  'slow-rank': {
    name: 'a slow rank',
    title: 'DDP on four ranks, one of them slow',
    what: 'PyTorch 2.13, gloo, torch.profiler over three steps; rank 2 sleeps 4 ms before each of them.',
    files: ['rank0.json.gz', 'rank1.json.gz', 'rank2.json.gz', 'rank3.json.gz'],
  },
  'small-kernels': {
    name: 'small kernels',
    title: 'DDP on two ranks, a deep net of sixteen features',
    what: 'PyTorch 1.13, gloo, torch.profiler over three steps; thousands of operators of a few microseconds.',
    files: ['rank0.json.gz', 'rank1.json.gz'],
  },
  exposed: {
    name: 'exposed communication',
    title: 'DDP on two ranks, a wide net and sixteen rows',
    what: 'PyTorch 1.13, gloo, torch.profiler over three steps; the first bucket is full when backward has nearly ended.',
    files: ['rank0.json.gz', 'rank1.json.gz'],
  },
  'gpu-busy': {
    name: 'a busy GPU',
    title: 'One NVIDIA H200, an MLP of 8,192 features and 4,096 rows',
    what: 'PyTorch 2.11 with CUDA 13, torch.profiler over three steps; the CPU launches a step in 3 ms, and its kernels take 72 ms.',
    files: ['rank0.json.gz'],
  },
  'gpu-idle': {
    name: 'an idle GPU',
    title: 'One NVIDIA H200, a deep net of sixteen features',
    what: 'PyTorch 2.11 with CUDA 13, torch.profiler, one step; kernels run for 0.4 ms of 12 ms, and the GPU waits for launches.',
    files: ['rank0.json.gz'],
  },
};

export const fetchExample = (id: ExampleId): Promise<readonly GivenFile[]> =>
  loadPart('The recorded example', () =>
    Promise.all(
      EXAMPLES[id].files.map(async (name): Promise<GivenFile> => {
        const response = await fetch(new URL(`examples/recordings/${id}/${name}`, document.baseURI));
        if (!response.ok) throw new LockstepError('not-loaded', `${name}: ${response.status}`);
        return { path: name, file: new File([await response.blob()], name) };
      }),
    ),
  );
