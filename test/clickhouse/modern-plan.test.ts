import { expect, test } from 'vitest'
import { planModernEngine } from './engines/modern-plan.mjs'

const machine = { platform: 'linux', arch: 'arm64', qemuVersion: '10.0.2', hasX64Libraries: true }

test('on x64 a current ClickHouse runs in this version of Node', () => {
  expect(planModernEngine({ ...machine, arch: 'x64', qemuVersion: null, hasX64Libraries: false })).toEqual({ command: [process.execPath] })
})

test('on arm64 it runs in an x64 build of Node under qemu', () => {
  const plan = planModernEngine(machine)
  expect(plan).toMatchObject({ command: expect.arrayContaining(['qemu-x86_64']) })
})

test.each([
  [{ qemuVersion: null }, /no qemu-x86_64 of version 10 or newer/],
  [{ qemuVersion: '7.2.17' }, /no qemu-x86_64 of version 10 or newer/],
  [{ hasX64Libraries: false }, /libc6-amd64-cross/],
  [{ arch: 'riscv64' }, /not tested on riscv64/],
  [{ platform: 'darwin' }, /on Linux only/],
])('on other machines the plan says what is missing: %o', (difference, words) => {
  expect(planModernEngine({ ...machine, ...difference })).toEqual({ missing: expect.stringMatching(words) })
})
