/**
 * The files that start train.py: run.sh for torchrun on one node or several, job.sbatch for SLURM, pytorchjob.yaml for
 * Kubeflow. Called by export-folder.ts.
 */

export interface ExportLaunch {
  /** Number of ranks; 1: a single process, which may drive several GPUs. */
  readonly processes: number;
  /** GPUs per process. */
  readonly devices: number;
  /** Every node has the same number of ranks. */
  readonly nodes: number;
}

const perNode = ({ processes, nodes }: ExportLaunch): number => processes / nodes;

/** A number of nodes that divides the ranks evenly, for examples. */
export function divisor({ processes }: ExportLaunch): number {
  let nodes = 2;
  while (nodes < processes && processes % nodes > 0) nodes += 1;
  return nodes;
}

/** The command that starts train.py on one node. */
export const torchrunLine = (launch: ExportLaunch): string =>
  launch.processes === 1 ? 'python3 train.py' : `torchrun --standalone --nproc_per_node=${launch.processes} train.py`;

export function runScript(launch: ExportLaunch): string {
  const head = `#!/usr/bin/env bash
# Starts train.py and passes all options to it: ./run.sh --report report.json
set -euo pipefail
cd "$(dirname "$0")"
`;
  if (launch.processes === 1) return `${head}exec python3 train.py "$@"\n`;
  return `${head}#
# One node:       ./run.sh
# Several nodes:  NNODES=${divisor(launch)} RDZV_ENDPOINT=node0:29400 ./run.sh on each node
#                 (a host that all nodes can reach, and a free port on it; all nodes have equally many ranks)
# Restarts:       MAX_RESTARTS=3 ./run.sh --checkpoint /shared/run --checkpoint-every 1000 --resume auto
#                 (restarted ranks, and a restarted run.sh, resume from the last checkpoint)
NNODES="\${NNODES:-${launch.nodes}}"
for number in "$NNODES" "\${NPROC_PER_NODE:-1}"; do
  if ! [[ "$number" =~ ^[1-9][0-9]*$ ]]; then
    echo "run.sh: NNODES and NPROC_PER_NODE must be whole numbers of at least 1, not '$number'" >&2
    exit 2
  fi
done
if [ -z "\${NPROC_PER_NODE:-}" ]; then
  NPROC_PER_NODE=$((${launch.processes} / NNODES))
  if [ $((NPROC_PER_NODE * NNODES)) -ne ${launch.processes} ]; then
    echo "run.sh: ${launch.processes} ranks cannot be divided evenly among $NNODES nodes; NPROC_PER_NODE=N starts N on each" >&2
    exit 2
  fi
fi
# From torch 2.4 on, restarted ranks would find the addresses of the old ranks (pytorch/pytorch#135712).
export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1
# torch 1 under Python 3.11, as in Debian 12, cannot read the default of torchrun's --redirects.
OUTPUT=""
if python3 -c 'import sys; from importlib.metadata import version as v; sys.exit(sys.version_info < (3, 11) or v("torch") >= "2")' 2>/dev/null; then
  OUTPUT="--redirects=2 --tee=2"
fi
# The same as --standalone in torch 2: any free port. In torch 1, --standalone always uses 29400, for one run per machine.
if [ "$NNODES" -eq 1 ]; then
  exec python3 -m torch.distributed.run $OUTPUT --nproc_per_node="$NPROC_PER_NODE" \\
    --rdzv_backend=c10d --rdzv_endpoint=localhost:0 --rdzv_id="\${RDZV_ID:-lockstep}" \\
    --max_restarts="\${MAX_RESTARTS:-0}" train.py "$@"
fi
if [ -z "\${RDZV_ENDPOINT:-}" ]; then
  echo "run.sh: $NNODES nodes need RDZV_ENDPOINT=host:port, the same on all nodes (or NNODES=1 for this machine alone)" >&2
  exit 2
fi
exec python3 -m torch.distributed.run $OUTPUT --nnodes="$NNODES" --nproc_per_node="$NPROC_PER_NODE" \\
  --rdzv_backend=c10d --rdzv_endpoint="$RDZV_ENDPOINT" --rdzv_id="\${RDZV_ID:-lockstep}" \\
  --max_restarts="\${MAX_RESTARTS:-0}" train.py "$@"
`;
}

export function slurmJob(launch: ExportLaunch): string {
  const gpus = perNode(launch) * launch.devices;
  const files = '--checkpoint "$PWD/run" --checkpoint-every 1000 --resume auto --report "$PWD/report.json"';
  const start =
    launch.processes === 1
      ? `srun --cpus-per-task="$SLURM_CPUS_PER_TASK" python3 train.py ${files} "$@"`
      : `# One torchrun per node starts the ranks of that node. The port depends on the job id: two jobs may share a node.
HEAD="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)"
export RDZV_ENDPOINT="$HEAD:$((20000 + SLURM_JOB_ID % 10000))"
export NNODES="$SLURM_JOB_NUM_NODES" RDZV_ID="$SLURM_JOB_ID"
srun --ntasks-per-node=1 --cpus-per-task="$SLURM_CPUS_PER_TASK" ./run.sh ${files} "$@"`;
  const others =
    launch.processes === 1
      ? ''
      : `# On more nodes: sbatch --nodes=${divisor(launch)} --gpus-per-node=${(launch.processes / divisor(launch)) * launch.devices} job.sbatch; the nodes share the ${launch.processes} ranks evenly.
`;
  return `#!/usr/bin/env bash
# Submit with "sbatch job.sbatch" in this folder, which must be on storage that all nodes share. A job that is requeued
# or submitted again resumes from the last checkpoint; to start over, rm run.*safetensors*.
${others}#SBATCH --job-name=lockstep
#SBATCH --nodes=${launch.nodes}
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=${gpus}
#SBATCH --cpus-per-task=${Math.max(4, 4 * perNode(launch))}
#SBATCH --time=01:00:00
#SBATCH --output=%x-%j.out
#SBATCH --open-mode=append
#SBATCH --requeue
# SLURM sends SIGTERM 60 s before the time limit: training ends after a complete step, with checkpoint and report.
#SBATCH --signal=TERM@60
set -euo pipefail
cd "$SLURM_SUBMIT_DIR"
${start}
`;
}

/** Kubeflow's training operator sets RANK and the other variables: one pod per rank. */
export function kubeflowJob(launch: ExportLaunch): string {
  const pod = `        spec:
          containers:
            - name: pytorch # the operator looks for this name
              image: pytorch/pytorch:latest
              workingDir: /lockstep
              command: [python3, train.py, --report, report.json, --checkpoint, run, --checkpoint-every, "1000", --resume, auto]
              resources:
                limits:
                  nvidia.com/gpu: ${launch.devices}
              volumeMounts:
                - name: run
                  mountPath: /lockstep
                - name: shm # for --workers: the default of 64 MB is too little
                  mountPath: /dev/shm
          volumes:
            - name: run # this folder, on a claim that all pods can write to
              persistentVolumeClaim:
                claimName: lockstep-run
            - name: shm
              emptyDir:
                medium: Memory`;
  const replica = (name: string, count: number): string => `    ${name}:
      replicas: ${count}
      restartPolicy: OnFailure
      template:
${pod}`;
  const workers = launch.processes > 1 ? `\n${replica('Worker', launch.processes - 1)}` : '';
  return `# kubectl apply -f pytorchjob.yaml; restarted pods resume from the last checkpoint. To start over, rm run.*safetensors*.
# One pod per rank. LOCAL_RANK is 0 in every pod: ${launch.devices > 1 ? `this pod has ${launch.devices} GPUs` : 'every pod has its own GPU'}.
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: lockstep
spec:
  pytorchReplicaSpecs:
${replica('Master', 1)}${workers}
`;
}
