// @slow

import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { needing, programMissing } from '../support/needs.ts'
import { promtool } from '../support/prometheus.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const options = { ...needing(await programMissing('promtool')), timeout: 60_000 }
const folder = fileURLToPath(new URL('../../integrations/prometheus', import.meta.url))

test('the alert rules are valid', options, async () => {
  expect(await promtool(['check', 'rules', 'tidemark.rules.yml'], { cwd: folder })).toContain('SUCCESS')
})

test('the alert rules fire exactly when they should', options, async () => {
  expect(await promtool(['test', 'rules', 'tidemark.rules.test.yml'], { cwd: folder })).toContain('SUCCESS')
})

test('the example scrape config is valid', options, async () => {
  const copy = temporaryFolder()
  cpSync(folder, copy, { recursive: true })
  writeFileSync(join(copy, 'tidemark.key'), 'tdm_')
  expect(await promtool(['check', 'config', 'prometheus.yml'], { cwd: copy })).toContain('SUCCESS')
})
