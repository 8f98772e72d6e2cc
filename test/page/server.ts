import { type Check, refOf, type Scope } from '../../src/catalogue/catalogue.ts'
import type { Policies } from '../../src/catalogue/policies/policies.ts'
import { runLocationsOf } from '../../src/checks/probe/pings.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { inventResults } from '../../src/cli/demo/invent.ts'
import { oneTimeCode } from '../../src/cli/demo/one-time-code.ts'
import type { Documents } from '../../src/store/documents/documents.ts'
import type { Store } from '../../src/store/store.ts'
import { dayMs, hourMs, minuteMs } from '../../src/time.ts'
import { openTestAlerts } from '../support/alert-loop.ts'
import { openTestApp } from '../support/app.ts'
import { account, readKey, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'
import { trialsOver } from '../support/trials.ts'
import { closeReaders } from './reader.ts'

export type PageServer = {
  readonly origin: string
  readonly checks: readonly Check[]
  readonly store: Store
  readonly documents: Documents
  /** Creates the code of a one-time link, replacing the previous one. */
  newCode(): string
  close(): Promise<void>
}

type World = {
  readonly checks?: readonly Check[]
  readonly days?: number
  readonly policies?: Partial<Policies>
  readonly basePath?: string
  /** Scopes of the reader's key. */
  readonly scopes?: readonly Scope[]
  /** Whether checks can be tested and added. */
  readonly managed?: boolean
  /** The key of the agents of a location, and that location. */
  readonly agents?: { readonly key: string; readonly location: string }
}

/** A real server on a free port with some days of the demo's results up to now, and its incident a few hours ago. */
export async function startPageServer({
  checks = oneOfEach(),
  days = 2,
  policies = {},
  basePath = '',
  scopes = ['read'],
  managed = false,
  agents,
}: World = {}): Promise<PageServer> {
  const makeCode = () => oneTimeCode({ key: readKey, account }, crypto.getRandomValues(new Uint8Array(16)))
  let oneTime = makeCode()
  const newCode = () => {
    oneTime = makeCode()
    return oneTime.code
  }
  const agentKeys = agents ? [testKey(agents.key, account, [`agent:${agents.location}`])] : []
  const catalogue = testCatalogue({ checks, policies, keys: [testKey(readKey, account, scopes), ...agentKeys] })
  const { app, store, close } = await openTestApp({
    catalogue,
    now: Date.now,
    signIn: (code) => oneTime.signIn(code),
    basePath,
    alerts: openTestAlerts,
    managed,
    trials: managed ? trialsOver(catalogue) : null,
  })
  const to = Date.now()
  const incident = to + 5 * dayMs - 4 * hourMs
  for (const check of checks) {
    const ref = refOf(check)
    const results = runLocationsOf(check).flatMap((place) => [...inventResults(check, place, { from: to - days * dayMs, to }, incident)])
    await store.append(results.map((result) => ({ check: ref, result })))
  }
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  return { origin, checks, store, documents: store.documents, newCode, close: () => closeReaders().then(close) }
}

export function oneOfEach(): readonly Check[] {
  const target = { url: 'http://127.0.0.1:9', hostname: '127.0.0.1', tcpPort: 9, dnsPort: 9, pingToken: 'a-token-of-the-tests' }
  return checkTypes.map((checkType) =>
    testCheck(checkType, {
      name: checkType.demo.name,
      tags: checkType.demo.tags,
      everyMs: 5 * minuteMs,
      settings: checkType.demo.settings(target),
    }),
  )
}
