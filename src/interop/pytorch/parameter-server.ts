/**
 * The body of the loop with a parameter server, as a script of one process that drives all devices, because PyTorch has
 * no class for it. Asynchronous mode follows TensorFlow's ParameterServerStrategy with its coordinator; synchronous
 * mode follows its former SyncReplicasOptimizer. Called by script.ts.
 */
import { chunkSizes } from '../../data/chunk-sizes';
import type { Config } from '../../protocol/config';
import { hasUnused } from '../../protocol/config/layer-kinds';
import { clipLines } from './clip';
import { type CodeLine, codeLine as line } from './code-line';
import { hasBatchNorm } from './model';
import { autocastLine } from './precision';
import type { Wording } from './wording';

/** After the optimiser has been made: the workers, and the versions that they may see. */
export function workerLines(
  { worldSize, parameterServer: { synchronous, staleness } }: Config,
  dialect: Pick<Wording, 'nth'>,
): readonly CodeLine[] {
  return [
    line(
      '# cuda:0 holds the parameters and the optimizer, the other devices compute gradients. PyTorch has no class for it:',
    ),
    line(
      synchronous
        ? '# all gradients are summed before a step, as SyncReplicasOptimizer of TensorFlow 1 did'
        : '# each gradient is applied as it arrives, as with tf.distribute.ParameterServerStrategy',
    ),
    line(`workers = [copy.deepcopy(model).to(${dialect.nth('k')}) for k in range(1, ${worldSize})]`),
    ...(synchronous ? [] : [line(`versions = deque([copy.deepcopy(model.state_dict())], maxlen=${staleness + 1})`)]),
  ];
}

export const workerImports = ({ parameterServer: { synchronous } }: Config): readonly string[] =>
  synchronous ? ['import copy'] : ['import copy', 'from collections import deque'];

/** The lines for a batch x, y. */
export function workerLoop(
  config: Config,
  lossCall: string,
  schedule: readonly CodeLine[],
  dialect: Wording,
): readonly CodeLine[] {
  const server = dialect.nth(0);
  const { accumulate, loss, worldSize, parameterServer } = config;
  const { synchronous } = parameterServer;
  const share = synchronous && loss.reduction !== 'sum' ? ' * len(part) / len(x)' : '';
  const scale = `${share}${accumulate > 1 ? ` / ${accumulate}` : ''}`;
  const indent = (code: readonly CodeLine[]) => code.map(({ text, anchor }) => line(`    ${text}`, anchor));
  const chunks = `zip(workers, x.chunk(${worldSize - 1}), y.chunk(${worldSize - 1}))`;
  const step = [...clipLines(config), line('optimizer.step()', 'step'), ...schedule];
  const statistics = hasBatchNorm(config.model.layers)
    ? [
        ...(synchronous ? [line('if worker is workers[0]:')] : []),
        line(`${synchronous ? '    ' : ''}for kept, moved in zip(model.buffers(), worker.buffers()):`),
        line(`${synchronous ? '    ' : ''}    kept.copy_(moved)`),
      ]
    : [];
  const pulls = synchronous ? 'worker.load_state_dict(model.state_dict())' : 'worker.load_state_dict(versions[0])';
  const within = autocastLine(config, 'device');
  const forward = [
    line('output = worker(part.to(device))', 'forward'),
    line(`loss = ${lossCall.replace(/\by\b/g, 'target.to(device)')}`, 'loss'),
  ];
  const work = [
    line('device = next(worker.parameters()).device'),
    line(pulls, 'pull'),
    line('worker.zero_grad()', 'zero_grad'),
    ...(within === undefined ? forward : [line(within), ...indent(forward)]),
    line(scale === '' ? 'loss.backward()' : `(loss${scale}).backward()`, 'backward'),
    line('for p, q in zip(model.parameters(), worker.parameters()):', 'push'),
    ...(hasUnused(config.model.layers) ? [line('    if q.grad is None:'), line('        continue')] : []),
    line(
      synchronous
        ? `    p.grad = q.grad.to(${server}) if p.grad is None else p.grad + q.grad.to(${server})`
        : `    p.grad = q.grad.to(${server})`,
    ),
    ...statistics,
    ...(synchronous ? [] : [...step, line('versions.append(copy.deepcopy(model.state_dict()))')]),
    ...dialect.loss('loss', false),
  ];
  const all = [line(`for worker, part, target in ${chunks}:`, 'load'), ...indent(work)];
  if (!synchronous) return [...all, ...turnsWithoutRows(config)];
  const zero = line('optimizer.zero_grad(set_to_none=True)');
  if (accumulate === 1) return [zero, ...all, ...step];
  return [...all, line(`if batches % ${accumulate} == 0:`), ...indent([...step, zero])];
}

/** A worker without rows of a batch takes its turn, too: the workers after it read parameters of the same age. */
function turnsWithoutRows({ worldSize, batchSize, dropLast, parameterServer }: Config): readonly CodeLine[] {
  const workers = worldSize - 1;
  const mayLack = !dropLast || chunkSizes(batchSize, workers).length < workers;
  if (parameterServer.staleness === 0 || workers === 1 || !mayLack) return [];
  return [line(`versions.extend([versions[-1]] * (${workers} - len(x.chunk(${workers}))))  # workers without rows`)];
}
