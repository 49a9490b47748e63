import { describe, expect, it } from 'vitest';
import { helpOfCommand, helpText } from './help-text';
import { parseCommand } from './usage';

describe('the command line', () => {
  it('reads every option of train', () => {
    const args =
      'train --config a.json --device cpu --out r.json --trace t.json --clock modelled --save w.safetensors --dataset d.safetensors --kill 2@5,0@9 --hang 1@7 --max-restarts 2 --flight-recorder f.json --quiet';
    expect(parseCommand(args.split(' '))).toEqual({
      name: 'train',
      options: {
        preset: undefined,
        config: 'a.json',
        settings: [],
        device: 'cpu',
        browser: false,
        out: 'r.json',
        trace: 't.json',
        clock: 'modelled',
        save: 'w.safetensors',
        dataset: 'd.safetensors',
        faults: [
          { what: 'kill', rank: 2, step: 5 },
          { what: 'kill', rank: 0, step: 9 },
          { what: 'hang', rank: 1, step: 7 },
        ],
        maxRestarts: 2,
        flightRecorder: 'f.json',
        quiet: true,
      },
    });
  });

  it('reads a preset, alone or under a configuration', () => {
    expect(parseCommand(['train', '--preset', 'cnn'])).toMatchObject({ options: { preset: 'cnn', config: undefined } });
    expect(parseCommand(['memory', '--preset', 'gpt', '--config', 'a.json'])).toMatchObject({
      name: 'memory',
      options: { preset: 'gpt', config: 'a.json' },
    });
  });

  it('reads settings in place of a file', () => {
    expect(parseCommand(['train', '--mode', 'DDP', '--steps=20', '--set', 'optimizer.lr=0.05'])).toMatchObject({
      options: {
        config: undefined,
        settings: [
          { path: ['optimizer', 'lr'], value: 0.05 },
          { path: ['steps'], value: 20 },
          { path: ['mode'], value: 'ddp' },
        ],
      },
    });
    expect(parseCommand(['code', '--preset', 'cnn', '--out', 't.py'])).toEqual({
      name: 'code',
      options: {
        preset: 'cnn',
        config: undefined,
        settings: [],
        out: 't.py',
        dataset: undefined,
        framework: 'pytorch',
      },
    });
  });

  it('takes "-" for standard output', () => {
    expect(parseCommand(['train', '--config', '-', '--out', '-'])).toMatchObject({ options: { out: undefined } });
  });

  it('names every option in the help', () => {
    const help = helpText();
    for (const name of [
      'preset',
      'config',
      'set',
      'steps',
      'mode',
      'world-size',
      'seed',
      'device',
      'browser',
      'out',
      'trace',
      'clock',
      'save',
      'dataset',
      'kill',
      'hang',
      'max-restarts',
      'flight-recorder',
      'quiet',
      'help',
    ]) {
      expect(help).toContain(`--${name}`);
    }
    for (const status of ['  0  ', '  1  ', '  2  ', '  3  ', '  4  ']) expect(help).toContain(status);
  });

  it.each([
    [['fly'], 'unknown command "fly"'],
    [['train'], 'train needs --config FILE, --preset NAME, or settings'],
    [['memory'], 'memory needs --config FILE, --preset NAME, or settings'],
    [['code', '--quiet'], "Unknown option '--quiet'"],
    [['train', '--mode', 'ddp', '--mode', 'single'], '--mode is given twice'],
    [['train', '--set', 'steps'], '--set takes KEY=VALUE, as in optimizer.lr=0.05, not "steps"'],
    [['train', '--set', '.=3'], '--set takes KEY=VALUE'],
    [['train', '--set', `${'a.'.repeat(40)}b=1`], 'no setting has a key of 41 parts'],
    [['memory', '--preset', 'cnn', '--quiet'], "Unknown option '--quiet'"],
    [['train', '--config', 'a', '--device', 'tpu'], '--device must be webgpu or cpu, not "tpu"'],
    [['train', '--config', 'a', '--speed', '3'], "Unknown option '--speed'"],
    [['train', '--config', 'a', '--browser', '--save', 'w'], 'not available with --browser'],
    [['train', '--config', 'a', '--browser', '--dataset', 'd'], 'not available with --browser'],
    [['train', '--config', 'a', '--kill', 'all'], '--kill must be RANK@STEP, as in 2@10, not "all"'],
    [['train', '--config', 'a', '--max-restarts', 'often'], '--max-restarts must be a number'],
    [['train', '--config', 'a', '--browser', '--hang', '0@1'], 'not available with --browser'],
    [['schema', 'now'], 'schema takes only the option --report or --bench, not "now"'],
    [['compare', 'a.json'], 'compare needs two reports'],
    [['compare', '-', '-'], 'only one of the two reports'],
    [['compare', 'a.json', 'b.json', '--bar', 'low'], '--bar must be a relative difference'],
  ])('refuses %j', (args, message) => {
    expect(() => parseCommand(args)).toThrow(message);
  });

  it('takes no arguments as a call for help', () => {
    expect(parseCommand([])).toEqual({ name: 'help' });
  });

  it.each([
    ...['train', 'torchrun', 'srun', 'collectives', 'schedule', 'memory', 'code'],
    ...['export', 'serve', 'compare', 'import', 'schema'],
  ])('prints the help for %s --help and -h', (command) => {
    for (const words of [
      [command, '--help'],
      [command, '-h'],
      ['help', command],
    ])
      expect(parseCommand(words)).toEqual({ name: 'help', of: command });
    const help = helpOfCommand(command);
    expect(help).toContain(`  lockstep ${command}`);
    // The help has no other command's use, and fewer lines than the full help.
    const uses = help.split('\n').filter((line) => line.startsWith('  lockstep '));
    expect(uses.filter((line) => !line.startsWith(`  lockstep ${command}`))).toEqual([]);
    expect(help.split('\n').length).toBeLessThan(helpText().split('\n').length);
  });
});
