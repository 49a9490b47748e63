/** Every mode opens a run from every preset, and leaving the mode undoes its changes. */
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import { FACES } from '../../parallel/faces';
import { openTestSession } from '../../session/testing/open-session';
import { withMode, withWorldSize } from './edit-config';
import { switchMode } from './mode-changes';
import { PAGE_CONFIG } from './page-config';
import { PAGE_PRESETS, PRESET_NAMES } from './page-presets';

const NONE = { changes: [], rows: undefined };

describe('switching modes', () => {
  it.each(PRESET_NAMES)('%s trains as a pipeline', async (name) => {
    const config = withMode(PAGE_PRESETS[name], 'pipeline');
    const { api, info, close } = await openTestSession({ ...config, device: 'cpu' });
    expect(info.notices.filter(({ level }) => level === 'error')).toEqual([]);
    const trace = await api.traceStep();
    expect(trace.losses.loss).toBeGreaterThan(0);
    await close();
  });

  it('the run that the page opens with becomes four stages of eight micro-batches', () => {
    const { worldSize, pipeline, mode } = withMode(PAGE_CONFIG, 'pipeline');
    expect({ worldSize, mode, ...pipeline }).toMatchObject({
      worldSize: 4,
      mode: 'pipeline',
      schedule: '1F1B',
      microBatches: 8,
    });
  });

  it('restores the settings that the user has not changed since', () => {
    const wide = { ...PAGE_PRESETS.wideMlp, worldSize: 8 };
    const pipeline = switchMode(wide, 'pipeline', NONE);
    expect(pipeline.config).toMatchObject({ worldSize: 2, dropLast: true });
    const back = switchMode(pipeline.config, 'ddp', { ...NONE, changes: pipeline.changes });
    expect(back.config).toEqual(wide);
    const touched = { ...pipeline.config, worldSize: 1 };
    expect(switchMode(touched, 'ddp', { ...NONE, changes: pipeline.changes }).config).toEqual({
      ...wide,
      worldSize: 1,
    });
    // By way of another mode, and of a mode that takes fewer devices.
    for (const { name } of Object.values(FACES)) {
      const other = switchMode(pipeline.config, name, { ...NONE, changes: pipeline.changes });
      expect(switchMode(other.config, 'ddp', { ...NONE, changes: other.changes }).config).toEqual(wide);
    }
  });

  it('a mode that computes only in float32 turns half precision off, and restores it', () => {
    const half = { ...PAGE_CONFIG, precision: 'autocast-fp16' as const };
    const scaled = { ...half, mode: 'ddp' as const, gradScaler: { ...half.gradScaler, enabled: true } };
    for (const { name, precisions, gradScaler } of Object.values(FACES)) {
      const there = switchMode(scaled, name, NONE);
      expect(there.config.precision).toBe(precisions?.includes('autocast-fp16') ? 'autocast-fp16' : 'float32');
      expect(there.config.gradScaler.enabled).toBe(gradScaler === true);
      expect(() => parseConfig(there.config)).not.toThrow();
      expect(switchMode(there.config, 'ddp', { ...NONE, changes: there.changes }).config).toMatchObject(scaled);
    }
    const whole = { ...PAGE_CONFIG, mode: 'single' as const, precision: 'bf16-master' as const };
    expect(switchMode(whole, 'pipeline', NONE).config.precision).toBe('autocast-bf16');
    expect(switchMode(whole, 'tensor', NONE).config.precision).toBe('autocast-bf16');
    expect(switchMode(whole, 'parameterServer', NONE).config.precision).toBe('autocast-bf16');
    // nn.DataParallel does not pass autocast's dtype to its threads.
    expect(switchMode(whole, 'dataParallel', NONE).config.precision).toBe('autocast-fp16');
    const policy = { ...half, sharded: { ...half.sharded, paramDtype: 'bfloat16' as const } };
    expect(switchMode(policy, 'sharded', NONE).config.precision).toBe('float32');
    expect(switchMode(policy, 'ddp', NONE).config.precision).toBe('autocast-fp16');
  });

  it('keeps a last batch that is as large as the others', () => {
    expect(switchMode(PAGE_CONFIG, 'pipeline', { changes: [], rows: 448 }).config.dropLast).toBe(false);
    expect(switchMode(PAGE_CONFIG, 'pipeline', { changes: [], rows: 400 }).config.dropLast).toBe(true);
    expect(switchMode(PAGE_CONFIG, 'pipeline', { changes: [], rows: 40 }).config.dropLast).toBe(false);
  });

  it('the number of devices is never given twice', () => {
    const grid = { ...PAGE_CONFIG, mode: 'pipeline' as const, mesh: { ...PAGE_CONFIG.mesh, pp: 4 } };
    const two = withWorldSize(grid, 2);
    expect(two.ok && two.config).toMatchObject({ worldSize: 2, mesh: { dpReplicate: 1 } });
    expect(two.ok && two.config.mesh.pp).toBe(undefined);
  });
});
