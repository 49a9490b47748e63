/** One net, its layers on several devices; what it costs in time, and what it saves in memory. */
import type { Facts } from '../../src/lessons/facts/facts';
import { defineLesson } from '../../src/lessons/lesson';

/** Four layers of equal work, one per device where there are four; a machine for which such a net is work. */
const NET = 'data=regression&in=16&out=16&layers=16-16-16-16-16&loss=mse&batch=32&hardware=transputer';

const DEVICES = { key: 'world', label: 'Devices', values: ['1', '2', '3', '4'] };

/** Of all devices: what one device takes for the same net and batch. */
const computing = ({ metrics }: Facts): number => metrics?.use.reduce((sum, { computeUs }) => sum + computeUs, 0) ?? 0;

/** In the step at the cursor a gradient of an activation has come back to cuda:0. */
function cameHome({ trace, moment }: Facts): boolean {
  const last = moment?.events.at(-1);
  if (!trace || last === undefined) return false;
  return trace.events
    .slice(0, last + 1)
    .some(({ kind, phase, device }) => kind === 'recv' && phase === 'backward' && device === 0);
}

export const lesson = defineLesson({
  figures: {
    walk: {
      run: `mode=mp&world=4&${NET}&at=2&moment=4`,
      show: ['stage'],
      controls: ['play', 'moment', 'phase', DEVICES],
      caption: 'One net on four devices, one Linear layer on each. The batch enters on cuda:0.',
      numbers: ['devices', 'messages', 'bytesInAll', 'parameterMemory:0', 'parameterMemory:3'],
      starts: 'walk',
    },
    lanes: {
      run: `mode=mp&world=4&${NET}&at=2`,
      show: ['timeline'],
      controls: [DEVICES, { key: 'batch', label: 'Rows in a batch', values: ['32', '64', '128'] }],
      caption:
        'The same step over time, with one lane per device. In forward the devices compute one after the other, from top to bottom; in backward, from bottom to top.',
      numbers: ['devices', 'stepTime', 'idle', 'computing:0', 'computing:1', 'computing:2', 'computing:3'],
      starts: 'rest',
    },
    memory: {
      run: `mode=mp&world=4&${NET}&at=2`,
      show: ['memory'],
      controls: [
        { key: 'mode', label: 'Mode', values: ['mp', 'ddp'], words: ['Model parallel', 'DDP'] },
        { key: 'world', label: 'Devices', values: ['1', '2', '4'] },
      ],
      caption:
        'The memory that each device reserves. With DDP every device stores all weights, gradients and optimiser states.',
      numbers: ['peakMemory', 'parameterMemory:0', 'gradientMemory:0', 'optimizerMemory:0', 'activationMemory:0'],
      starts: 'rest',
    },
    cut: {
      run: 'mode=mp&world=2&layers=2-32-4-32-1&batch=32&split=2-5&hardware=transputer&at=2&moment=4',
      show: ['stage'],
      controls: [
        'play',
        {
          key: 'split',
          label: 'Cut after',
          values: ['2-5', '4-3', '6-1'],
          words: ['the first Tanh', 'the second Tanh', 'the third Tanh'],
        },
      ],
      caption: 'Another net on two devices. Its middle layer has few outputs. You can move the cut.',
      numbers: ['messages', 'bytesInAll', 'stepTime', 'optimizerMemory:0', 'optimizerMemory:1'],
      starts: 'rest',
    },
  },
  drawings: {
    trade: {
      kind: 'memory-and-time',
      caption:
        'The same net and batch on more and more devices. A point further left needs less memory per device; a point further down has a shorter step.',
      runs: Object.fromEntries(
        ['mp', 'ddp'].flatMap((mode) =>
          ['1', '2', '4'].flatMap((world) =>
            ['32', '128'].map((batch) => [
              `${mode} ${world} ${batch}`,
              `mode=${mode}&world=${world}&${NET.replace('batch=32', `batch=${batch}`)}&at=2`,
            ]),
          ),
        ),
      ),
    },
  },
  predictions: {
    four: {
      question: 'The same net and the same batch on four devices instead of one. How long does a step take?',
      answer: { figure: 'lanes', of: 'stepTime' },
      guess: {
        kind: 'choice',
        choices: [
          {
            text: 'About a quarter of the time: four devices share the work',
            right: (us, facts) => us < 0.5 * computing(facts),
          },
          {
            text: 'About half of the time: the devices sometimes compute at the same time',
            right: (us, facts) => us >= 0.5 * computing(facts) && us < 0.9 * computing(facts),
          },
          {
            text: 'A little longer than on one device',
            right: (us, facts) => us >= 0.9 * computing(facts),
          },
        ],
      },
      why: 'It takes {stepTime}. A layer cannot start before the layer before it has finished. So the layers together take as long as on one device, and the time of the messages is added.',
      plot: {
        figure: 'lanes',
        of: 'stepTime',
        over: 'world',
        label: 'Devices',
        values: ['1', '2', '3', '4'],
        beside: [{ label: 'DistributedDataParallel', with: { mode: 'ddp' } }],
      },
    },
  },
  tasks: {
    home: {
      figure: 'walk',
      text: 'Step through the run until a gradient has come back to cuda:0.',
      hint: '“Step moment” goes one moment further, “Step phase” one phase. Forward ends on cuda:3; then the gradients come back.',
      done: (facts) => facts.pressed.some((what) => what === 'moment' || what === 'phase') && cameHome(facts),
      solution: [{ press: 'reset' }, { press: 'phase' }, { press: 'phase' }, { press: 'phase' }],
    },
    narrow: {
      figure: 'cut',
      text: 'Move the cut to the place at which the devices send the fewest bytes.',
      hint: 'One row of an activation has as many numbers as its layer has outputs. Which layer has the fewest outputs?',
      done: ({ metrics, info }) => {
        const narrowest = Math.min(...(info?.config.model.layers ?? []).slice(0, -1).flatMap(outputs));
        return metrics !== undefined && metrics.traffic.total === 2 * 4 * narrowest * (info?.batchPerRank[0] ?? 0);
      },
      solution: [{ set: { split: '4-3' } }],
    },
  },
});

/** Numbers per row that come out of a Linear layer. */
function outputs(layer: { readonly type: string; readonly out?: unknown }): readonly number[] {
  return layer.type === 'Linear' && typeof layer.out === 'number' ? [layer.out] : [];
}
