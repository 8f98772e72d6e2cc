import type { Account } from '../../catalogue/catalogue.ts'
import { playwrightVersion } from '../../checks/probe/playwright/script-files.ts'
import { apiError } from '../../errors.ts'
import { callerOf } from '../hooks/auth.ts'
import { readKnownParams, readParams, text } from '../input/params.ts'
import { pageParams } from '../input/window-params.ts'
import { accountSchema, emptyPageSchema, runtimeSchema, userSchema } from '../reference/account-schemas.ts'
import type { Doc, Routes } from '../route.ts'

const group = 'Account'
const accountDoc: Doc = {
  group,
  summary: 'The account of the key',
  path: { accountId: { type: 'string', description: 'The id of your account; any other returns 403.' } },
  answer: { description: 'Its id and name. runtimeId is one of GET /v1/runtimes; it changes nothing.', schema: accountSchema },
}
const accountsDoc: Doc = {
  group,
  summary: 'The accounts of the key',
  answer: { description: 'The account that the key belongs to.', schema: { type: 'array', items: accountSchema } },
}
const userDoc: Doc = {
  group,
  summary: 'The caller',
  answer: { description: 'The id, name and scopes of the key: there are no users.', schema: userSchema },
}

const runtimesDoc: Doc = {
  group,
  summary: 'Runtimes of scripts',
  query: pageParams,
  answer: {
    description: 'Names for compatibility with clients. All are the same: the Playwright installed with Tidemark.',
    schema: { type: 'array', items: runtimeSchema },
  },
}

const runtimeDoc: Doc = {
  group,
  summary: 'One runtime of scripts',
  path: { name: { type: 'string', description: 'The name of a runtime.' } },
  query: {},
  answer: { description: 'The runtime.', schema: runtimeSchema },
  errors: ['RESOURCE_NOT_FOUND'],
}

/** Lists that clients read and Tidemark does not support: always empty. */
const emptyPages: Readonly<Record<string, string>> = {
  '/v1/status-pages': 'Status pages',
  '/v1/status-pages/incidents': 'Incidents on status pages',
}
const cursorParams = { limit: pageParams.limit, nextId: text({ description: 'The cursor of the page; there is only one page.' }) }

/** Requests that third-party command-line clients make on their own. */
export const accountRoutes: Routes = (app) => {
  app.get('/next/accounts', { config: { access: 'read', doc: accountsDoc } }, async (request) => [describe(callerOf(request).account)])

  app.get('/next/accounts/:accountId', { config: { access: 'read', doc: accountDoc } }, async (request) => {
    const { account } = callerOf(request)
    if ((request.params as { readonly accountId: string }).accountId !== account.id) throw apiError('FORBIDDEN_ACCOUNT')
    return describe(account)
  })

  app.get('/next/users/me', { config: { access: 'read', doc: userDoc } }, async (request) => {
    const { id, name, scopes } = callerOf(request).key
    return { id, name, scopes }
  })

  app.get('/v1/runtimes', { config: { access: 'read', doc: runtimesDoc } }, async (request) => {
    readKnownParams(pageParams, request.query)
    return runtimeNames.map(describeRuntime)
  })

  app.get('/v1/runtimes/:name', { config: { access: 'read', doc: runtimeDoc } }, async (request) => {
    readParams({}, request.query)
    const { name } = request.params as { readonly name: string }
    if (!runtimeNames.includes(name)) throw apiError('RESOURCE_NOT_FOUND', { noun: 'runtime' })
    return describeRuntime(name)
  })

  for (const [path, what] of Object.entries(emptyPages)) {
    const answer = { description: 'Always empty.', schema: emptyPageSchema }
    const doc: Doc = { group, summary: `${what}: there are none`, query: cursorParams, answer }
    app.get(path, { config: { access: 'read', doc } }, async (request) => {
      readKnownParams(cursorParams, request.query)
      return { length: 0, entries: [], nextId: null }
    })
  }
}

function describe({ id, name }: Account) {
  return { id, name, runtimeId: defaultRuntime }
}

/** Names that projects request. All mean the same: scripts run with the Playwright that is installed with Tidemark. */
const defaultRuntime = '2025.04'
const runtimeNames = ['2022.10', '2023.02', '2023.09', '2024.02', '2024.09', defaultRuntime]

function describeRuntime(name: string) {
  return { name, multiStepSupport: true, dependencies: { '@playwright/test': playwrightVersion() } }
}
