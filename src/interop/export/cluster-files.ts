/**
 * The files that start train.py: run.sh for torchrun on one node or several, job.sbatch for SLURM, pytorchjob.yaml for
 * Kubeflow. Called by export-folder.ts.
 */

export interface Launch {
  /** Ranks; 1: a single process, which may drive several GPUs. */
  readonly processes: number;
  /** GPUs of a process. */
  readonly devices: number;
  /** They share the ranks evenly. */
  readonly nodes: number;
}

const perNode = ({ processes, nodes }: Launch): number => processes / nodes;

/** A number of nodes that share the ranks evenly, for examples. */
export function divisor({ processes }: Launch): number {
  let nodes = 2;
  while (nodes < processes && processes % nodes > 0) nodes += 1;
  return nodes;
}

/** The options behind torchrun for one node, and the line that starts train.py. */
export const torchrunLine = (launch: Launch): string =>
  launch.processes === 1 ? 'python3 train.py' : `torchrun --standalone --nproc_per_node=${launch.processes} train.py`;

export function runScript(launch: Launch): string {
  const head = `#!/usr/bin/env bash
# Starts train.py; options for it go behind: ./run.sh --report report.json
set -euo pipefail
cd "$(dirname "$0")"
`;
  if (launch.processes === 1) return `${head}exec python3 train.py "$@"\n`;
  return `${head}#
# One node:       ./run.sh
# Several nodes:  on each of them NNODES=${divisor(launch)} RDZV_ENDPOINT=node0:29400 ./run.sh
#                 (a host that all of them reach, and a free port there; every node has as many ranks)
# Restarts:       MAX_RESTARTS=3 ./run.sh --checkpoint /shared/run --checkpoint-every 1000 --resume auto
#                 (ranks that torchrun starts again, and run.sh itself, go on from the last checkpoint)
NNODES="\${NNODES:-${launch.nodes}}"
for number in "$NNODES" "\${NPROC_PER_NODE:-1}"; do
  if ! [[ "$number" =~ ^[1-9][0-9]*$ ]]; then
    echo "run.sh: NNODES and NPROC_PER_NODE are whole numbers of 1 or more, not '$number'" >&2
    exit 2
  fi
done
if [ -z "\${NPROC_PER_NODE:-}" ]; then
  NPROC_PER_NODE=$((${launch.processes} / NNODES))
  if [ $((NPROC_PER_NODE * NNODES)) -ne ${launch.processes} ]; then
    echo "run.sh: ${launch.processes} ranks are not shared evenly by $NNODES nodes; NPROC_PER_NODE=N has each start N" >&2
    exit 2
  fi
fi
# From torch 2.4 on, ranks that start again would find the addresses of those before (pytorch/pytorch#135712).
export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1
# torch 1 under Python 3.11, as in Debian 12, does not read the default of torchrun's --redirects.
OUTPUT=""
if python3 -c 'import sys; from importlib.metadata import version as v; sys.exit(sys.version_info < (3, 11) or v("torch") >= "2")' 2>/dev/null; then
  OUTPUT="--redirects=2 --tee=2"
fi
# What --standalone means from torch 2 on: any free port. Before it was always 29400, one run at a time on a machine.
if [ "$NNODES" -eq 1 ]; then
  exec python3 -m torch.distributed.run $OUTPUT --nproc_per_node="$NPROC_PER_NODE" \\
    --rdzv_backend=c10d --rdzv_endpoint=localhost:0 --rdzv_id="\${RDZV_ID:-lockstep}" \\
    --max_restarts="\${MAX_RESTARTS:-0}" train.py "$@"
fi
if [ -z "\${RDZV_ENDPOINT:-}" ]; then
  echo "run.sh: $NNODES nodes need RDZV_ENDPOINT=host:port, the same on all of them (or NNODES=1 for this machine alone)" >&2
  exit 2
fi
exec python3 -m torch.distributed.run $OUTPUT --nnodes="$NNODES" --nproc_per_node="$NPROC_PER_NODE" \\
  --rdzv_backend=c10d --rdzv_endpoint="$RDZV_ENDPOINT" --rdzv_id="\${RDZV_ID:-lockstep}" \\
  --max_restarts="\${MAX_RESTARTS:-0}" train.py "$@"
`;
}

export function slurmJob(launch: Launch): string {
  const gpus = perNode(launch) * launch.devices;
  const files = '--checkpoint "$PWD/run" --checkpoint-every 1000 --resume auto --report "$PWD/report.json"';
  const start =
    launch.processes === 1
      ? `srun --cpus-per-task="$SLURM_CPUS_PER_TASK" python3 train.py ${files} "$@"`
      : `# One torchrun on each node; it starts the ranks there. The port goes by the job: two may meet on a node.
HEAD="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)"
export RDZV_ENDPOINT="$HEAD:$((20000 + SLURM_JOB_ID % 10000))"
export NNODES="$SLURM_JOB_NUM_NODES" RDZV_ID="$SLURM_JOB_ID"
srun --ntasks-per-node=1 --cpus-per-task="$SLURM_CPUS_PER_TASK" ./run.sh ${files} "$@"`;
  const others =
    launch.processes === 1
      ? ''
      : `# On more nodes: sbatch --nodes=${divisor(launch)} --gpus-per-node=${(launch.processes / divisor(launch)) * launch.devices} job.sbatch; they share the ${launch.processes} ranks evenly.
`;
  return `#!/usr/bin/env bash
# sbatch job.sbatch, in this folder, which must be on storage that all nodes see. A job that is requeued, or submitted
# again, goes on from the checkpoint of the one before; rm run.*safetensors* to begin anew.
${others}#SBATCH --job-name=lockstep
#SBATCH --nodes=${launch.nodes}
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=${gpus}
#SBATCH --cpus-per-task=${Math.max(4, 4 * perNode(launch))}
#SBATCH --time=01:00:00
#SBATCH --output=%x-%j.out
#SBATCH --open-mode=append
#SBATCH --requeue
# SLURM tells the job 60 s before its time is over: training ends behind a step, with checkpoint and report.
#SBATCH --signal=TERM@60
set -euo pipefail
cd "$SLURM_SUBMIT_DIR"
${start}
`;
}

/** Kubeflow's training operator sets the variables of the ranks itself: one pod for each rank. */
export function kubeflowJob(launch: Launch): string {
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
            - name: run # this folder, on a claim that all pods can write
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
  return `# kubectl apply -f pytorchjob.yaml; pods that start again go on from the last checkpoint. rm run.*safetensors* to begin anew.
# One pod for each rank. LOCAL_RANK is 0 in each of them: ${launch.devices > 1 ? `this pod has ${launch.devices} GPUs` : 'every pod has its own GPU'}.
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: lockstep
spec:
  pytorchReplicaSpecs:
${replica('Master', 1)}${workers}
`;
}
