/** README.md of an exported run: the commands, literally, and what to expect of them. Called by export-folder.ts. */

import type { TorchNeeds } from '../../protocol/exported';
import { divisor, type Launch, torchrunLine } from './cluster-files';

export interface ReadmeFacts {
  readonly about: string;
  readonly launch: Launch;
  readonly needs: TorchNeeds;
  /** train.py refuses --compile and --precision bf16. */
  readonly plain: boolean;
  /** The rows are in dataset.safetensors. */
  readonly hasRows: boolean;
  /** The files that the configuration names. */
  readonly files: readonly string[];
  /** What torch does otherwise than Lockstep, as sentences. */
  readonly differences: readonly string[];
  /** What a checkpoint lacks. */
  readonly notSaved: readonly string[];
}

export function readme({ about, launch, needs, plain, hasRows, files, differences, notSaved }: ReadmeFacts): string {
  const line = torchrunLine(launch);
  const several = launch.processes > 1;
  return `# A run of Lockstep, in PyTorch

\`train.py\` trains the net ${about}. It needs PyTorch ${needs.torch} or later (${needs.why}) and nothing of Lockstep.

\`\`\`sh
python3 -m pip install -r requirements.txt
${line} --report report.json
\`\`\`

On a machine without ${several ? `${launch.processes} GPUs` : launch.devices > 1 ? `${launch.devices} GPUs` : 'a GPU'} it takes the CPU by itself${several ? ', over gloo' : ''}; \`--device cpu\` does so anywhere.
${several ? "\nDebian 12's torchrun (torch 1.13 under Python 3.11) does not start without `--redirects=2 --tee=2`, which `./run.sh` gives it.\n" : ''}
## Is it the same run?

Lockstep's report of the run and this one can be compared, losses, weights and step by step:

\`\`\`sh
lockstep train --config config.json --weights --history 200 --out lockstep.json
lockstep compare lockstep.json report.json
\`\`\`

Or here, without Lockstep: \`${line} --expect lockstep.json\` prints the largest difference and ends with status 1 where it
is beyond \`--bar\` (1e-5: relative for numbers above 1, absolute for smaller ones).
${differences.length === 0 ? '' : `\nWhat to know before comparing:\n\n${differences.map((text) => `- ${text}`).join('\n')}\n`}
## Further

| | |
|---|---|
| stop and go on | \`--checkpoint run --checkpoint-every 100\`, then \`--resume run\`; Lockstep resumes these files, too (\`"resume": "run"\`), and \`--resume\` takes those that Lockstep wrote |
| go on by itself | \`--checkpoint run --resume auto\` goes on from the checkpoint that it wrote before, and begins at the start where there is none: for jobs that are started again. \`rm run.*safetensors*\` begins anew |
${notSaved.map((text) => `| not in a checkpoint | ${text} |\n`).join('')}| told to stop | Ctrl+C or SIGTERM ends training behind a step, with checkpoint and report; ${several ? 'ranks ask each other every 10 steps, or after each slow one (under join() not at all), and torchrun ends them after 30 s' : 'a second one at once'} |
${several ? `| several nodes | \`NNODES=${divisor(launch)} RDZV_ENDPOINT=node0:29400 ./run.sh\` on each of them |\n| Accelerate | \`accelerate launch --multi_gpu --num_processes ${launch.processes} train.py\` starts the same ranks |\n` : ''}| SLURM | \`sbatch job.sbatch\` |
| Kubernetes | \`kubectl apply -f pytorchjob.yaml\` (Kubeflow's training operator) |
| your own data | \`--real-data rows.safetensors\` with tensors x and y, or your Dataset in \`own_dataset\` of \`train.py\` |
| faster | ${plain ? '`--precision tf32`' : '`--precision bf16` or `tf32`, `--compile` (torch 2)'}, \`--workers 4\`: other numbers than those of the run |
| look inside | \`--trace trace.json\` records the last three steps with torch.profiler; \`lockstep import trace*.json\` or the page shows them |

## Files

| | |
|---|---|
| \`train.py\` | model, data, training loop: the file to read and to change |
| \`launch.py\` | options, device, process group |
| \`record.py\`, \`report.py\` | losses, samples of parameters and gradients, the report, \`--expect\` |
| \`checkpoint.py\`, \`checkpoint_files.py\`, \`tensors.py\` | checkpoints and .safetensors files |
| \`config.json\` | the run as Lockstep was asked for it |
| \`initial.safetensors\` | its first weights |
${hasRows ? '| `dataset.safetensors` | its rows, and the state of the generator behind their draws |\n' : ''}${files.map((name) => `| \`${name}\` | a file that the configuration names |\n`).join('')}| \`run.sh\`, \`job.sbatch\`, \`pytorchjob.yaml\` | how it is started |
`;
}
