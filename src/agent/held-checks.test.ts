import { expect, test } from 'vitest'
import { testCheck } from '../../test/support/catalogue.ts'
import { anyRunType } from '../../test/support/example-config.ts'
import { recordingLog } from '../../test/support/log.ts'
import type { Check } from '../catalogue/catalogue.ts'
import { checkTypes } from '../checks/registry.ts'
import { type Assignment, type SentCheck, type SentScripts, toAgent } from '../locations/protocol.ts'
import { createHeldChecks } from './held-checks.ts'
import type { HeldScripts } from './script-cache.ts'

const plain = testCheck(anyRunType(), { id: 'plain', name: 'Plain' })
const scripted = testCheck(anyRunType(), { id: 'scripted', name: 'Scripted' })
const bundle: SentScripts = { bundle: 'a'.repeat(64) }
const sent = (check: Check, since: number | null = null, scripts: SentScripts | null = null): SentCheck =>
  JSON.parse(JSON.stringify(toAgent(check, { since, scripts, settings: check.settings })))
const assignment = (checks: readonly SentCheck[]): Assignment => ({
  protocol: 1,
  account: plain.account,
  location: 'eu',
  addresses: { allow: ['10.0.0.0/8'], deny: [] },
  evidence: { mode: 'failures' } as Assignment['evidence'],
  checks,
})

function hold() {
  const log = recordingLog()
  const arrived: HeldScripts[] = []
  const held = createHeldChecks({ checkTypes, log, scripts: { get: () => arrived.at(-1) } })
  const names = () => held.catalogue.allChecks().map(({ name }) => name)
  return { held, log, names, arrived }
}

test('a check is left out until its scripts are available, and then gets them in its settings', () => {
  const { held, names, arrived } = hold()
  const assigned = assignment([sent(plain), sent(scripted, null, bundle)])
  held.set(assigned)
  expect([names(), held.isIncomplete()]).toEqual([['Plain'], true])
  const scripts = { problem: 'They cannot be read.' }
  arrived.push(scripts)
  held.set(assigned)
  expect([names(), held.isIncomplete()]).toEqual([['Plain', 'Scripted'], false])
  expect(held.catalogue.allChecks().map(({ settings }) => held.scriptsOf(settings))).toEqual([undefined, scripts])
})

test('the latest assignment counts, with the start of its slots and its address policy', () => {
  const { held, names } = hold()
  expect([names(), held.isIncomplete()]).toEqual([[], false])
  held.set(assignment([sent(scripted)]))
  held.set(assignment([sent(plain, 1000)]))
  expect(names()).toEqual(['Plain'])
  expect([held.since(plain), held.since(scripted)]).toEqual([1000, null])
  expect(held.catalogue.service()).toMatchObject({ addresses: { allow: ['10.0.0.0/8'] }, evidence: 'failures' })
})

test('a check of an unknown type is left out, and logged once it is assigned', () => {
  const { held, log, names } = hold()
  held.set(assignment([{ ...sent(plain), type: 'TELEPATHY' }, sent(scripted)]))
  expect([names(), held.isIncomplete()]).toEqual([['Scripted'], false])
  expect(log.entries).toMatchObject([{ level: 'warn', fields: { checks: ['Plain'] } }])
})
