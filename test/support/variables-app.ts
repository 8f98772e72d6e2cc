import type { Account } from '../../src/catalogue/catalogue.ts'
import { createVault, type Vault } from '../../src/catalogue/managed/vault.ts'
import type { Env } from '../../src/config.ts'
import { openTestApp, type TestApp } from './app.ts'
import { account, readKey, service, testCatalogue, testKey, writeKey } from './catalogue.ts'

export const vault = createVault(Buffer.alloc(32, 7))

export const accountOpening = (...managedVariables: readonly string[]): Account => ({
  id: account,
  name: 'Acme',
  publicBadges: false,
  managedVariables,
})

/** Apps without configured checks, whose managed checks may use the variables of `env` that the account opens. */
export function variablesApps(owner: Account, env: Env) {
  const catalogue = () =>
    testCatalogue({
      accounts: [owner],
      service: () => service,
      keys: [testKey(readKey, account, ['read']), testKey(writeKey, account, ['read', 'write'])],
      checks: [],
    })
  const openApp = (given: Vault | null = vault): Promise<TestApp> =>
    openTestApp({ managed: true, now: Date.UTC(2026, 10, 14, 12), env, vault: given, catalogue: catalogue() })
  return { catalogue, openApp }
}
