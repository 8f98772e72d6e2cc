// @slow
import { expect, onTestFinished, test, vi } from 'vitest'
import { checkTypeOf, passed } from '../../test/support/checks.ts'
import { needing } from '../../test/support/needs.ts'
import { diskMissing, smallDisk } from '../../test/support/small-disk.ts'
import type { ProbeAttempt } from '../checks/probe/probe.ts'
import { scriptedProbe } from './scripted-probe.ts'

test('a disk without space for scripts is not reported as a result of the target', needing(await diskMissing()), async () => {
  const disk = smallDisk(64)
  vi.stubEnv('TMPDIR', disk.folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  const checkType = checkTypeOf(async () => passed)
  const scripts = { configDir: '', files: [{ path: 'a.ts', content: Buffer.alloc(30_000) }] }
  const probe = scriptedProbe(
    async () => passed,
    () => scripts,
  )
  const attempt = { checkType, settings: {} } as ProbeAttempt
  disk.fill()
  expect(await probe(attempt)).toMatchObject({ exhausted: expect.stringContaining('the disk for temporary files is full (ENOSPC)') })
  disk.free()
  expect(await probe(attempt)).toEqual(passed)
})
