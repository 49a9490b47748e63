/** The driver that LOCKSTEP_DRIVER names, found in folders that are laid out like an installed or unpacked Mesa. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lavapipeEnvironment, warnOfMappings } from './lavapipe.mjs';
import { namedDriver } from './software-vulkan.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mesa '));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Returns the ICD file. `library`: as the file names the library; undefined: Debian's new way, a bare name. */
function unpacked(version: string, library?: string): string {
  const libraries = path.join(folder, 'usr/lib/x86_64-linux-gnu');
  const icds = path.join(folder, 'usr/share/vulkan/icd.d');
  for (const each of [libraries, icds]) mkdirSync(each, { recursive: true });
  writeFileSync(path.join(libraries, 'libvulkan_lvp.so'), `\u0000\u00ff(LLVM 15)Mesa ${version}-2 (LLVM 15.0.6)\u0000`);
  const icd = path.join(icds, 'lvp_icd.json');
  writeFileSync(icd, JSON.stringify({ ICD: { library_path: library ?? 'libvulkan_lvp.so' } }));
  return icd;
}

test.each([
  ['a bare name', undefined],
  ['a path from the ICD file', '../../../lib/x86_64-linux-gnu/libvulkan_lvp.so'],
])('lavapipe in a folder of its own, whose ICD file names the library by %s', (_, library) => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const icd = unpacked('25.0.7', library);
  const libraries = path.join(folder, 'usr/lib/x86_64-linux-gnu');
  expect(namedDriver(icd)).toEqual({
    VK_DRIVER_FILES: icd,
    LD_LIBRARY_PATH: [libraries, process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':'),
  });
});

test('an old Mesa, a missing file and an unknown name are refused in words', () => {
  expect(() => namedDriver(unpacked('22.3.6'))).toThrow(/lavapipe of Mesa 22\.3\.6, .*Mesa 25\.0 or later is needed/);
  expect(() => lavapipeEnvironment(path.join(folder, 'lvp_icd.json'))).toThrow(/There is no ICD file .*lvp_icd/);
  expect(() => namedDriver(path.join(folder, 'other.json'))).toThrow(/There is no ICD file .*other\.json/);
  expect(() => namedDriver('llvmpipe')).toThrow(/LOCKSTEP_DRIVER is "llvmpipe"; it can be swiftshader, lavapipe/);
});

test('a low limit of memory mappings is a warning', () => {
  const warning = vi.spyOn(console, 'error').mockImplementation(() => {});
  warnOfMappings(262_144);
  expect(warning).not.toHaveBeenCalled();
  warnOfMappings(65_530);
  expect(warning.mock.calls).toEqual([
    [expect.stringMatching(/more than 13 GPUDevices, .* 65530 memory mappings .*sysctl -w vm\.max_map_count=262144$/)],
  ]);
});

test('npm run gpu ends with the reason before it runs the command', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/with-gpu.mjs', 'vitest', '--version'], {
    cwd: path.resolve(import.meta.dirname, '..'),
    env: { ...process.env, LOCKSTEP_DRIVER: unpacked('22.3.6') },
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 3, stdout: '' });
  expect(stderr).toMatch(/too old for Dawn\. Mesa 25\.0 or later is needed/);
});
