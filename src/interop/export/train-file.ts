/**
 * train.py of an exported run: the lines of a mode's script (Script), in functions and with the options, report and
 * checkpoints of the Python files beside it (python/). The listing next to the run has the same lines in the same
 * order, so that both draw the same numbers. Called through FILE (file-dialect.ts).
 */
import { type Config, DEFAULT_CONFIG } from '../../protocol/config';
import { DATASET_FILE } from '../../protocol/exported';
import { type CodeLine, codeLine, codeLines } from '../pytorch/code-line';
import { dataCode } from '../pytorch/data';
import { endOfGroup, type GroupHolders } from '../pytorch/devices';
import { trainingLoop } from '../pytorch/loop';
import { NAMES } from '../pytorch/model';
import { lossCode, optimizerCode, schedulerCode } from '../pytorch/optim';
import { DP_RANK } from '../pytorch/pipeline';
import { scalerCode } from '../pytorch/precision';
import { python } from '../pytorch/python';
import type { Script } from '../pytorch/script-parts';
import { headLines } from '../pytorch/tensor';
import { heading, imports } from './train-file-head';

/** Texts in triple quotes stay as they are. */
function indented(lines: readonly CodeLine[]): CodeLine[] {
  let quoted = false;
  return lines.map(({ text, anchor }) => {
    const line = codeLine(text === '' || quoted ? text : `    ${text}`, anchor);
    if (text.split("'''").length % 2 === 0) quoted = !quoted;
    return line;
  });
}

/** Makes file names in lines relative to the folder of train.py, which may be started from another folder. */
function besideTrainPy({ data }: Config, lines: readonly string[]): readonly string[] {
  const texts = Object.values(data).filter((value) => typeof value === 'string');
  const names = new Set([DATASET_FILE, ...texts].map(python));
  const inCalls = (line: string): string =>
    [...names].reduce((text, name) => text.replaceAll(name, (found) => `here(${found})`), line);
  return lines.map((line) => (/load_file\(|np\.load\(/.test(line) ? inCalls(line) : line));
}

const definition = (head: string, about: string, body: readonly CodeLine[]): CodeLine[] => [
  ...codeLines('', '', head, `    """${about}"""`),
  ...indented(body),
];

export function trainFile(config: Config, parts: Script): CodeLine[] {
  const { model } = parts;
  const main = mainFunction(config, parts);
  const made = [...datasetFunction(config), ...modelFunction(config, model)];
  const texts = (lines: readonly CodeLine[]): readonly string[] => lines.map(({ text }) => text);
  const usesFiles = texts(made).some((text) => text.includes('here('));
  return [
    ...codeLines(...heading(config, parts)),
    ...codeLines(...imports(config, parts, [...model.classes, ...texts(main)].join('\n'), usesFiles)),
    ...codeLines(...devicesOfWorkers(config, parts, main)),
    ...(model.classes.length > 0 ? codeLines('', '', ...model.classes) : []),
    ...definition(
      'def own_dataset(path):',
      'For --real-data: returns your Dataset of pairs (x, y). This version reads the tensors x and y of a .safetensors file.',
      codeLines('rows = load_file(path)', "return TensorDataset(rows['x'], rows['y'])"),
    ),
    ...made,
    ...codeLines('', '', 'def main():'),
    ...indented(main),
    ...codeLines('', '', "if __name__ == '__main__':", '    main()'),
  ];
}

function datasetFunction(config: Config): CodeLine[] {
  const data = dataCode(config);
  return definition(
    'def make_dataset(args):',
    'The rows of the run, and their numbers among all rows (None: these are all rows).',
    codeLines(
      'if args.real_data:',
      '    return own_dataset(args.real_data), None',
      ...besideTrainPy(config, data.lines),
      `return dataset, ${data.indices ?? 'None'}`,
    ),
  );
}

const modelFunction = (config: Config, { classes, lines }: Script['model']): CodeLine[] =>
  definition('def make_model(device):', modelWords(classes), [
    ...codeLines(...modelLines(lines).ofModel, ...initialWeights(config, classes), 'return model'),
  ]);

const renamed = (classes: readonly string[]): boolean => classes.includes(NAMES);

/** Separates the lines that slice a pipeline's model into stages, which belong in main(). */
function modelLines(lines: readonly string[]): {
  readonly ofModel: readonly string[];
  readonly ofMain: readonly string[];
} {
  const cut = lines.findIndex((line) => line.startsWith('layers = '));
  return cut < 0 ? { ofModel: lines, ofMain: [] } : { ofModel: lines.slice(0, cut), ofMain: lines.slice(cut) };
}

/** Ranks that draw their own weights keep them; from a file of weights all ranks begin with the same. */
const initialWeights = ({ ddp, weights }: Config, classes: readonly string[]): readonly string[] =>
  renamed(classes) || (ddp.rankSeeds === 'beforeModel' && !ddp.initSync && weights === undefined)
    ? []
    : ["model.load_state_dict(load_file(here('initial.safetensors')))"];

const modelWords = (classes: readonly string[]): string =>
  renamed(classes)
    ? "The net with the run's initial weights, which torch draws from the same generator."
    : "The net with the run's initial weights. torch draws the same weights; the file helps if you change the net.";

/** Devices of the workers of one process; a model over devices names its own. */
function devicesOfWorkers({ worldSize }: Config, { model }: Script, main: readonly CodeLine[]): readonly string[] {
  const named = model.classes.some((text) => text.startsWith('devices = '));
  if (named || !main.some(({ text }) => text.includes('devices['))) return [];
  return ['', `devices = [f'cuda:{k}' for k in range(${worldSize})]`];
}

function mainFunction(config: Config, parts: Script): CodeLine[] {
  const { loop } = parts;
  const ranks = loop.ranks === true;
  const scheduler = schedulerCode(config.scheduler);
  // Modes with their own loop, and runs with a setting of precision, have no option --precision.
  const plain = loop.body !== undefined || config.precision !== 'float32';
  return [
    ...codeLines(
      `args = parse_arguments(${argumentsOf(config, plain).join(', ')})`,
      ...(parts.beforeGroup ?? []),
      `rank, device = set_up(args${startArguments(config, parts).join('')})`,
      ...(parts.devices === undefined ? [] : onCpu(parts)),
      ...(parts.behindGroup ?? []),
      ...(plain ? [] : ['precision = autocast(args, device)']),
      `run = Run(args, rank, device${runArguments(config, parts).join('')})`,
      '',
      `torch.manual_seed(${config.seed})`,
      'dataset, row_ids = make_dataset(args)',
      ...(parts.seeds?.before ?? []),
      `model = make_model(${parts.stages === true ? "torch.device('cpu')" : 'device'})`,
      ...(parts.seeds?.after ?? []),
      'run.resume(model)',
    ),
    ...codeLines(...modelLines(parts.model.lines).ofMain),
    ...(parts.beforeWrapper ?? []),
    ...(parts.stages === true ? [] : codeLines('run.holds(model)', ...regroupedRows(parts))),
    ...(plain ? [] : codeLines('if args.compile:', '    model = torch.compile(model)')),
    ...(parts.wrapper ? [parts.wrapper] : []),
    ...(parts.wrapper && ranks ? codeLines(`${WRAPPER} = model  # the report lists its buckets`) : []),
    ...(parts.afterModel ?? []),
    ...(parts.stages === true ? codeLines(...heldStages(parts)) : []),
    ...codeLines(
      '',
      ...optimizerCode(
        config,
        parts.parameters
          ? { ...parts.parameters, copies: parts.copies }
          : { all: 'model.parameters()', named: 'run.named_parameters()' },
        parts.optimizerArguments,
        parts.optimizerWrapper,
      ),
      ...scalerCode(config, parts.scaler),
      ...(config.gradScaler.enabled ? ['run.resume_scaler(scaler)'] : []),
      ...scheduler.lines,
      ...resumeOptimizer(config, scheduler.step),
    ),
    ...(parts.afterOptimizer ?? []),
    ...codeLines(lossCode(config.loss, loop.targets), ...parts.loaders, ''),
    ...codeLines('with run:'),
    ...indented([
      ...(config.epochs === undefined ? codeLines('steps = args.steps') : []),
      ...trainingLoop(
        config,
        {
          ...loop,
          ...(plain ? {} : { within: 'with precision:' }),
          behindStep: [codeLine('run.step()')],
          epochsGiven: 'args.epochs',
          resumes: {
            step: 'run.first_step',
            microBatch: 'run.micro_batch',
            epoch: 'run.first_epoch',
            batches: 'run.batches_of(loader, epoch)',
          },
        },
        scheduler.step,
      ),
    ]),
    ...codeLines(...(parts.holdsGroup ? endOfGroup(withReport(parts, parts.holdsGroup)) : [])),
  ];
}

const WRAPPER = 'run.wrapper';

/** The report has already read the wrapper. */
const withReport = ({ wrapper }: Script, { holders, graph }: GroupHolders): GroupHolders => ({
  holders: wrapper ? [...holders, WRAPPER] : holders,
  graph,
});

function argumentsOf({ steps, epochs, resume }: Config, plain: boolean): readonly string[] {
  return [
    epochs === undefined ? `steps=${steps}` : `epochs=${epochs}`,
    ...(resume === undefined ? [] : [`resume='${resume.replace(/^.*\//, '')}'`]),
    ...(plain ? ['plain=True'] : []),
  ];
}

const startArguments = ({ worldSize, timeoutS }: Config, { loop, devices, offloads }: Script): readonly string[] => [
  ...(loop.ranks === true ? [`, ranks=${worldSize}`] : []),
  // Lockstep's default suits a page that shows a hang; on a cluster PyTorch's default is better.
  ...(loop.ranks === true && timeoutS !== DEFAULT_CONFIG.timeoutS ? [`, timeout_s=${timeoutS}`] : []),
  ...(devices === undefined ? [] : [`, devices=${devices}`]),
  ...(offloads ? [', offloads=True'] : []),
];

const heldStages = (parts: Script): readonly string[] =>
  parts.sharesLayers
    ? ["run.holds(model, modules, first=mesh['tp'].get_local_rank() == 0)", ...regroupedRows(parts)]
    : ['run.holds(model, modules)'];

/** Tensor parallelism regroups rows of packed queries, keys and values; reports and checkpoints have them in order. */
const regroupedRows = ({ afterModel = [] }: Script): readonly string[] =>
  afterModel.some(({ text }) => text === headLines[0]) ? ["run.regroups('qkv', mesh['tp'].size())"] : [];

function runArguments(
  { accumulate, epochs }: Config,
  { updates = 1, uneven, replicas, behindGroup = [] }: Script,
): readonly string[] {
  return [
    ...(accumulate > 1 ? [`, accumulate=${accumulate}`] : []),
    ...(updates > 1 ? [`, updates=${updates}`] : []),
    ...(replicas === undefined ? [] : [`, replicas=${replicas}`]),
    ...(behindGroup.some((text) => text.includes(`${DP_RANK} = `)) ? [`, reader=${DP_RANK}`] : []),
    ...(uneven === undefined ? [] : [epochs === undefined ? `, uneven=True, per_epoch=${uneven}` : ', uneven=True']),
  ];
}

/** A process that drives several GPUs uses the CPU in place of each. */
const onCpu = ({ model, loop, afterModel = [] }: Script): readonly string[] =>
  [...model.classes, loop.inputs, ...afterModel.map(({ text }) => text)].some((text) => text.includes('devices'))
    ? ["if device.type == 'cpu':", "    devices[:] = ['cpu'] * len(devices)"]
    : [];

function resumeOptimizer({ scheduler }: Config, step: readonly string[]): readonly string[] {
  if (scheduler === undefined) return ['run.resume_optimizer(optimizer)'];
  const everyEpoch = scheduler.every === 'epoch' ? ', every_epoch=True' : '';
  if (step.length === 1) return [`run.resume_optimizer(optimizer, scheduler.step${everyEpoch})`];
  return [
    'def advance():',
    ...step.map((text) => `    ${text}`),
    `run.resume_optimizer(optimizer, advance${everyEpoch})`,
  ];
}
