/** README.md of an exported run: the exact commands, and what each of them does. Called by export-folder.ts. */

import type { TorchNeeds } from '../../protocol/exported';
import { divisor, type ExportLaunch, torchrunLine } from './cluster-files';

export interface ReadmeFacts {
  readonly about: string;
  readonly launch: ExportLaunch;
  readonly needs: TorchNeeds;
  /** Whether train.py refuses --compile and --precision bf16. */
  readonly plain: boolean;
  /** Whether the rows are in dataset.safetensors. */
  readonly hasRows: boolean;
  /** The files that the configuration names. */
  readonly files: readonly string[];
  /** Sentences about what torch does differently from Lockstep. */
  readonly differences: readonly string[];
  /** What a checkpoint lacks. */
  readonly notSaved: readonly string[];
}

export function readme({ about, launch, needs, plain, hasRows, files, differences, notSaved }: ReadmeFacts): string {
  const line = torchrunLine(launch);
  const several = launch.processes > 1;
  return `# A Lockstep run in PyTorch

\`train.py\` trains the net ${about}. It needs PyTorch ${needs.torch} or later (for ${needs.why}); it does not need Lockstep.

\`\`\`sh
python3 -m pip install -r requirements.txt
${line} --report report.json
\`\`\`

On a machine without ${several ? `${launch.processes} GPUs` : launch.devices > 1 ? `${launch.devices} GPUs` : 'a GPU'} \`train.py\` uses the CPU${several ? ' with gloo' : ''}. On any machine, \`--device cpu\` makes it use the CPU.
${several ? "\nDebian 12's torchrun (torch 1.13 under Python 3.11) needs `--redirects=2 --tee=2` to start; `./run.sh` passes both.\n" : ''}
## Is it the same run?

Lockstep can compare its own report with the report of \`train.py\`: losses, final weights, and parameters and gradients step by step.

\`\`\`sh
lockstep train --config config.json --weights --history 200 --out lockstep.json
lockstep compare lockstep.json report.json
\`\`\`

Without Lockstep, \`${line} --expect lockstep.json\` prints the largest difference. It exits with status 1 if the
difference is larger than \`--bar\` (1e-5: relative for numbers above 1, absolute for smaller ones).
${differences.length === 0 ? '' : `\nWhat to know before comparing:\n\n${differences.map((text) => `- ${text}`).join('\n')}\n`}
## More options

| | |
|---|---|
| stop and resume | \`--checkpoint run --checkpoint-every 100\`, then \`--resume run\`. Lockstep can resume from these files (\`"resume": "run"\`), and \`--resume\` accepts checkpoints that Lockstep wrote |
| resume automatically | \`--checkpoint run --resume auto\` resumes from its last checkpoint, or starts from the beginning if there is none. Use it for jobs that may be restarted. To start over, \`rm run.*safetensors*\` |
${notSaved.map((text) => `| not in a checkpoint | ${text} |\n`).join('')}| interrupt | Ctrl+C or SIGTERM ends training after a complete step and writes checkpoint and report. ${several ? 'Ranks agree on that step every 10 steps, or after each slow step (never under join()); torchrun kills them after 30 s' : 'A second Ctrl+C ends it at once'} |
${several ? `| several nodes | \`NNODES=${divisor(launch)} RDZV_ENDPOINT=node0:29400 ./run.sh\` on each of them |\n| Accelerate | \`accelerate launch --multi_gpu --num_processes ${launch.processes} train.py\` starts the same ranks |\n` : ''}| SLURM | \`sbatch job.sbatch\` |
| Kubernetes | \`kubectl apply -f pytorchjob.yaml\` (Kubeflow's training operator) |
| your own data | \`--real-data rows.safetensors\`, a file with the tensors x and y; or return your own Dataset from \`own_dataset\` in \`train.py\` |
| faster | ${plain ? '`--precision tf32`' : '`--precision bf16` or `tf32`, `--compile` (torch 2)'}, \`--workers 4\`. The results then differ from Lockstep's |
| profile | \`--trace trace.json\` records the last three steps with torch.profiler; view the trace with \`lockstep import trace*.json\` or on Lockstep's page |

## Files

| | |
|---|---|
| \`train.py\` | model, data and training loop: read and change this file |
| \`launch.py\` | options, device, process group |
| \`record.py\`, \`report.py\` | losses, samples of parameters and gradients, the report, \`--expect\` |
| \`checkpoint.py\`, \`checkpoint_files.py\`, \`tensors.py\` | checkpoints and .safetensors files |
| \`parts.py\` | whole tensors of the parts that ranks have, for reports and checkpoints, and the reverse |
| \`config.json\` | the configuration of the run, for Lockstep |
| \`defaults.json\` | the default of each setting, for checkpoints whose configuration leaves a setting out |
| \`initial.safetensors\` | the initial weights |
${hasRows ? '| `dataset.safetensors` | the rows, and the state of the random generator after they were drawn |\n' : ''}${files.map((name) => `| \`${name}\` | a file that the configuration uses |\n`).join('')}| \`run.sh\`, \`job.sbatch\`, \`pytorchjob.yaml\` | start scripts: torchrun, SLURM, Kubernetes |
`;
}
