import { onTestFinished } from 'vitest'
import type { Catalogue, Check } from '../../src/catalogue/catalogue.ts'
import type { CheckType } from '../../src/checks/define.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { sha256 } from '../../src/ids/sha256.ts'
import { openTestApp, type TestApp } from './app.ts'
import { account, testCatalogue, testCheck, testKey } from './catalogue.ts'
import { exampleCheck, pingKey } from './example-config.ts'

const key = 'tdm_testfeed_00000000000000000000000000000000_000000'
const strangersKey = 'tdm_stranger_00000000000000000000000000000000_000000'

/** Headers of a caller with read and ingest access to `acme`, and of one from another account. */
export const feeder = { authorization: `Bearer ${key}`, 'x-service-account': account }
export const stranger = { authorization: `Bearer ${strangersKey}`, 'x-service-account': 'other' }

export const pingToken = 'a-token-of-32-characters-0123456'
export const now = Date.UTC(2026, 10, 14, 12)

/** One check of each type, named by its path. `foreign` belongs to another account. */
export const checks: readonly Check[] = checkTypes.map((checkType) =>
  testCheck(checkType, { settings: exampleCheck(checkType), createdAt: 0, updatedAt: 0 }),
)
const foreign = checks.slice(0, 1).map((check) => ({ ...check, id: 'foreign', account: 'other' }))

export type IngestApp = Pick<TestApp, 'app' | 'store'> & { readonly catalogue: Catalogue; readonly clock: { now: () => number } }

/** The whole API on a temporary store until the test ends. The test may set its clock. */
export async function ingestApp(): Promise<IngestApp> {
  const clock = { now: () => now }
  const keys = [testKey(key, account, ['read', 'ingest']), testKey(strangersKey, 'other', ['read', 'ingest'])]
  const accounts = [account, 'other'].map((id) => ({
    id,
    name: id,
    publicBadges: false,
    ...(id === account && { pingKeyHash: sha256(pingKey) }),
  }))
  const all = [...checks, ...foreign]
  const catalogue: Catalogue = {
    ...testCatalogue({ accounts, keys, checks: all }),
    checkByPingToken: (hash) =>
      all.find(({ checkType, settings }) => hash === checkType.pingSettings?.(settings).tokenHash && hash === sha256(pingToken)),
  }
  const { app, store, close } = await openTestApp({ catalogue, now: () => clock.now() })
  onTestFinished(close)
  return { app, store, catalogue, clock }
}

export function checkOfType(checkType: CheckType): Check {
  const found = checks.find((check) => check.checkType === checkType)
  if (!found) throw new Error(`no check is of type ${checkType.type}`)
  return found
}
