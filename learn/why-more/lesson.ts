/** Why more devices: what a second one divides, what it does not, and when it does not help. */
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';

const NET = 'layers=2-16-16-16-1&opt=adam&samples=1024&test=0';
/** Seven times what one device does with the figure's batch. */
const SEVENFOLD = 7 * 368;

export const lesson = defineLesson({
  card: { figure: 'clock', view: 'timeline' },
  figures: {
    strong: {
      run: `mode=ddp&world=4&${NET}&batch=64&hardware=transputer&at=2&moment=6`,
      show: ['stage'],
      controls: ['play', 'moment', { key: 'world', label: 'Devices', values: ['1', '2', '4', '8'] }],
      caption:
        'Several devices with the same net. Each works on its own part of the batch; at the end they average their gradients.',
      numbers: ['devices', 'effectiveBatch', 'rowsPerRank', 'parameters'],
      starts: 'walk',
    },
    clock: {
      run: `mode=ddp&world=4&${NET}&batch=64&hardware=transputer&at=2&moment=6`,
      show: ['timeline'],
      controls: [
        'play',
        'moment',
        { key: 'world', label: 'Devices', values: ['1', '2', '4', '8'] },
        { key: 'batch', label: 'Batch', values: ['64', '256', '512'] },
        { key: 'hardware', label: 'Machine', values: ['transputer', 'pcie4'], words: ['slow', 'A100'] },
      ],
      caption:
        'The step over time. When devices are added, forward and backward get shorter; the end of the step does not.',
      numbers: [
        'stepTime',
        'rowsPerSecond',
        'phaseTime:forward',
        'phaseTime:backward',
        'phaseTime:step',
        'exposedTime',
      ],
      starts: 'rest',
    },
    memory: {
      run: `mode=ddp&world=4&${NET}&batch=256&hardware=transputer&at=2&moment=8`,
      show: ['stage'],
      controls: [
        'play',
        'moment',
        { key: 'world', label: 'Devices', values: ['1', '2', '4', '8'] },
        { key: 'batch', label: 'Batch', values: ['64', '256', '512'] },
      ],
      caption: 'The end of forward, when the devices hold the most activations. All bars have the same scale.',
      numbers: ['allocated', 'heldMemory', 'parameterMemory', 'optimizerMemory', 'rowsPerRank'],
      starts: 'rest',
    },
    cut: {
      run: `mode=mp&world=4&${NET}&batch=64&hardware=transputer&at=2&moment=8`,
      show: ['stage', 'timeline'],
      controls: [
        'play',
        'moment',
        { key: 'mode', label: 'Divided', values: ['mp', 'ddp'], words: ['the net', 'the batch'] },
      ],
      caption:
        'The net is cut between its layers. Each device holds one piece, and every row passes through all pieces.',
      numbers: ['stepTime', 'idle', 'heldMemory:0', 'heldMemory:1', 'heldMemory:2', 'heldMemory:3'],
      starts: 'rest',
    },
  },
  predictions: {
    four: {
      question: 'Four devices share the rows. How long does a step take now?',
      answer: { figure: 'strong', of: 'stepTime', with: { world: '4' } },
      guess: { kind: 'number', from: 0, to: 200_000, step: 2000 },
      why: 'It takes {stepTime}. The optimiser alone takes {phaseTime:step} of that, as long as on one device: each of the four updates all weights.',
      plot: { figure: 'strong', of: 'stepTime', over: 'world', label: 'devices', values: ['1', '2', '4', '8'] },
    },
    eighth: {
      question: 'Eight devices share the batch. How much memory does each of them use at its peak?',
      answer: { figure: 'strong', of: 'allocated', with: { world: '8' } },
      guess: { kind: 'number', from: 0, to: 40_000, step: 500 },
      why: 'Each uses {allocated}. The floor alone takes {heldMemory}. The rest is an eighth of the hill, and the buffers from which a device sends its gradients.',
      plot: { figure: 'strong', of: 'allocated', over: 'world', label: 'devices', values: ['1', '2', '4', '8'] },
    },
  },
  tasks: {
    sevenfold: {
      figure: 'clock',
      text: 'Use eight slow machines, and compute at least seven times as many rows per second as one slow machine does with the batch of 64.',
      hint: 'Give each device more rows. Then the fixed part of the step, which does not depend on the rows, matters less.',
      done: (facts) =>
        facts.info?.config.hardware === 'transputer' &&
        facts.info.worldSize === 8 &&
        (measure(facts, 'rowsPerSecond') ?? 0) >= SEVENFOLD,
      solution: [{ set: { world: '8', batch: '256' } }],
    },
    busy: {
      figure: 'cut',
      text: 'Make each of the four devices compute for nine tenths of the step. Then look at what each of them has to store.',
      hint: 'The control “Divided” chooses whether the net or the batch is divided.',
      done: ({ metrics, trace }) =>
        trace !== undefined && (metrics?.use ?? []).every(({ computeUs, totalUs }) => computeUs > 0.9 * totalUs),
      solution: [{ set: { mode: 'ddp' } }],
    },
  },
  plots: {
    rate: {
      figure: 'clock',
      of: 'rowsPerSecond',
      over: 'batch',
      label: 'rows in the batch, over all devices',
      values: ['64', '256', '512'],
      beside: [
        { label: 'one device', with: { world: '1' } },
        { label: 'eight', with: { world: '8' } },
      ],
    },
  },
});
