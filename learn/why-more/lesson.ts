/** Why more devices: what a second one divides, what it does not, and when it does not help. */
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';

const NET = 'layers=2-16-16-16-1&opt=adam&samples=1024&test=0';
/** Seven times what one device does with the figure's batch. */
const SEVENFOLD = 7 * 368;

export const lesson = defineLesson({
  figures: {
    strong: {
      run: `mode=ddp&world=4&${NET}&batch=64&hardware=transputer&at=2&moment=6`,
      show: ['stage'],
      controls: ['play', 'moment', { key: 'world', label: 'Devices', values: ['1', '2', '4', '8'] }],
      caption:
        'Devices with the same net. Each has its own part of the batch; at the end they average their gradients.',
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
      caption: 'The step in time. Forward and backward shrink as devices are added; the end does not.',
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
      caption: 'The end of forward, when the hill is high. All devices share one scale.',
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
        'The net is cut between its layers. Each device holds one piece of it, and all rows pass through all pieces.',
      numbers: ['stepTime', 'idle', 'heldMemory:0', 'heldMemory:1', 'heldMemory:2', 'heldMemory:3'],
      starts: 'rest',
    },
  },
  predictions: {
    four: {
      question: 'Four devices share the rows. How long is a step now?',
      answer: { figure: 'strong', of: 'stepTime', with: { world: '4' } },
      guess: { kind: 'number', from: 0, to: 200_000, step: 2000 },
      why: 'It is {stepTime}. Of this, {phaseTime:step} are the optimiser, which takes as long on each of the four as it took on one.',
      plot: { figure: 'strong', of: 'stepTime', over: 'world', label: 'devices', values: ['1', '2', '4', '8'] },
    },
    eighth: {
      question: 'Eight devices share the batch. How much is in use on each of them at most?',
      answer: { figure: 'strong', of: 'allocated', with: { world: '8' } },
      guess: { kind: 'number', from: 0, to: 40_000, step: 500 },
      why: 'It is {allocated}, and {heldMemory} of that is the floor. The rest is an eighth of the hill, and the buffers from which gradients are sent.',
      plot: { figure: 'strong', of: 'allocated', over: 'world', label: 'devices', values: ['1', '2', '4', '8'] },
    },
  },
  tasks: {
    sevenfold: {
      figure: 'clock',
      text: 'On the slow machine, with eight devices: bring at least seven times as many rows through in a second as one device does with the batch that the figure began with.',
      hint: 'Each device needs enough rows, so that what does not depend on rows is a small part of its step.',
      done: (facts) =>
        facts.info?.config.hardware === 'transputer' &&
        facts.info.worldSize === 8 &&
        (measure(facts, 'rowsPerSecond') ?? 0) >= SEVENFOLD,
      solution: [{ set: { world: '8', batch: '256' } }],
    },
    busy: {
      figure: 'cut',
      text: 'Keep each of the four devices computing for nine tenths of the step. Then look at what each of them holds.',
      hint: 'What is divided?',
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
