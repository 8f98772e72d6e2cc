import type { FastifyInstance, InjectOptions } from 'fastify'
import { pino } from 'pino'
import type { AlertLoop } from '../../src/alerts/loop/alert-loop.ts'
import type { Catalogue, Check } from '../../src/catalogue/catalogue.ts'
import { createOverlay } from '../../src/catalogue/managed/overlay.ts'
import type { Vault } from '../../src/catalogue/managed/vault.ts'
import type { CheckType } from '../../src/checks/define.ts'
import type { Env } from '../../src/config.ts'
import { buildApp } from '../../src/http/app.ts'
import type { Deps } from '../../src/http/route.ts'
import { createManagedChecks } from '../../src/managed/managed-checks.ts'
import type { DocumentUsage } from '../../src/store/documents/usage.ts'
import type { FiledResult, Store } from '../../src/store/store.ts'
import { type AppStore, openAppStore } from './app-store.ts'
import { credentials, testCatalogue } from './catalogue.ts'

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: the content of a response is what a test is about
  readonly body: any
}

export type TestApp = {
  readonly app: FastifyInstance
  readonly store: AppStore
  /** A check of account `acme` in its effective form. */
  readonly check: (id: string) => Check
  /** Sends a request as the reader of account `acme`, unless other headers are given. */
  readonly get: (url: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  readonly call: (options: InjectOptions) => Promise<Answer>
  readonly close: () => Promise<void>
}

type Setting = {
  readonly catalogue?: Catalogue
  readonly results?: readonly FiledResult[]
  /** A fixed instant or a clock. */
  readonly now?: number | (() => number)
  readonly checkTypes?: readonly CheckType[]
  readonly basePath?: string
  readonly configFile?: string
  readonly runsHere?: Deps['runsHere']
  readonly decodeEvidence?: Deps['decodeEvidence']
  readonly signIn?: NonNullable<Deps['signIn']>
  /** Wraps the store for the API, for example to simulate an overloaded one. */
  readonly instead?: (store: Store) => Store
  readonly log?: Deps['log']
  readonly maxQuestionCost?: number
  /** Whether checks can be managed. Checks of the catalogue then count as defined in the config file. */
  readonly managed?: boolean
  readonly managedLimit?: DocumentUsage
  readonly env?: Env
  readonly vault?: Vault | null
  /** Receives the listeners for changes of the config file. */
  readonly fileListeners?: Set<() => void>
  /** Runs trials of definitions. Without it, there are no trials. */
  readonly trials?: Deps['trials']
  /** Creates the alerts of this API. Without it, none are sent. */
  readonly alerts?: (parts: { readonly store: Store; readonly catalogue: Catalogue; readonly now: () => number }) => Promise<AlertLoop>
}

/** Managed checks over a catalogue that stands in for a config file. `modules` may come from the build. */
export async function manageChecks({
  ofFile,
  store,
  now,
  env,
  vault,
  limit,
  fileListeners = new Set(),
  log = { error: console.error },
  checkTypes,
  modules = { createOverlay, createManagedChecks },
}: {
  readonly ofFile: Catalogue
  readonly store: Pick<AppStore, 'documents' | 'recordDefinitions'>
  readonly now: () => number
  readonly env: Env
  readonly vault?: Vault | null | undefined
  readonly limit?: DocumentUsage | undefined
  readonly fileListeners?: Set<() => void> | undefined
  readonly log?: { readonly error: (text: string) => void }
  readonly checkTypes?: readonly CheckType[]
  readonly modules?: { readonly createOverlay: typeof createOverlay; readonly createManagedChecks: typeof createManagedChecks }
}) {
  const overlay = modules.createOverlay(env)
  const catalogue = overlay.over(ofFile, [])
  const opened = {
    fileName: 'tidemark.yaml',
    catalogue,
    applyManaged: overlay.apply,
    applyResources: overlay.applyResources,
    resources: overlay.resources,
    onChange(listener: (changed: Catalogue) => void) {
      const heard = () => listener(catalogue)
      fileListeners.add(heard)
      return () => fileListeners.delete(heard)
    },
    definedAt: async (account: string, id: string) => (ofFile.check(account, id) ? { account, id, file: null, line: 12 } : null),
  }
  const { documents, recordDefinitions } = store
  const managed = await modules.createManagedChecks({
    documents,
    opened,
    env,
    vault,
    now,
    log,
    recordDefinitions,
    limit,
    ...(checkTypes && { checkTypes }),
  })
  return { catalogue, managed }
}

/** The whole API on a real store in a temporary folder. */
export async function openTestApp(setting: Setting): Promise<TestApp> {
  const {
    catalogue: ofFile = testCatalogue(),
    results = [],
    now = 0,
    instead = (store) => store,
    log = pino({ level: 'silent' }),
    maxQuestionCost,
    alerts: openAlerts,
    managed: isManaged = false,
    managedLimit: limit,
    env = {},
    vault,
    fileListeners,
    ...rest
  } = setting
  const clock = { now: typeof now === 'number' ? () => now : now }
  const store = await openAppStore({ clock: clock.now, checkTypes: rest.checkTypes, ...(maxQuestionCost && { maxQuestionCost }) })
  await store.append(results)
  const { catalogue, managed } = isManaged
    ? await manageChecks({ ofFile, store, now: clock.now, env, vault, limit, fileListeners })
    : { catalogue: ofFile, managed: null }
  const alerts = openAlerts ? await openAlerts({ store, catalogue, now: clock.now }) : null
  const app = await buildApp({ ...rest, catalogue, store: instead(store), clock, log, alerts, managed })
  const call = async (options: InjectOptions) => {
    const { statusCode, headers, body } = await app.inject(options)
    const isJson = String(headers['content-type']).startsWith('application/json') && body !== ''
    return { status: statusCode, headers, text: body, body: isJson ? JSON.parse(body) : undefined }
  }
  return {
    app,
    store,
    check: (id) => {
      const found = catalogue.check('acme', id)
      if (!found) throw new Error(`there is no check ${id}`)
      return found
    },
    call,
    get: (url, headers = credentials) => call({ url, headers }),
    close: async () => {
      await app.close()
      await alerts?.close()
      await managed?.close()
      await store.close()
    },
  }
}
