import { isMapping } from '../../collections/mapping.ts'
import type { Static } from '../../schema/typebox.ts'
import { withoutPlainVariables } from '../../text/variable-references.ts'
import type { GroupRequest } from '../group-request.ts'
import { authorization, parameterSecrets, urlParts } from '../probe/http/http-request.ts'
import { headerSecrets } from '../probe/redact.ts'
import type { Assertion } from '../probe/settings.ts'
import { present } from '../wire.ts'
import { httpSources, readAssertions, writeAssertions } from '../wire-assertions.ts'
import { readPairs, writePairs } from '../wire-pairs.ts'
import type { ApiSettings } from './shape.ts'
import { readCredentials } from './wire.ts'

type Settings = Static<typeof ApiSettings>
type Pairs = Readonly<Record<string, string>>
type Request = {
  readonly url?: string
  readonly headers?: Pairs
  readonly query?: Pairs
  readonly basicAuth?: { readonly username: string; readonly password: string }
  readonly assertions?: readonly Assertion[]
}

export const groupRequest: GroupRequest<Settings> = {
  field: 'apiCheckDefaults',
  parts: ['url', 'headers', 'query', 'basicAuth', 'assertions'],
  read: (body) =>
    present<unknown>({
      url: body.template('url'),
      headers: readPairs(body, 'headers'),
      query: readPairs(body, 'queryParameters'),
      basicAuth: readCredentials(body.object('basicAuth')),
      assertions: readAssertions(body, httpSources),
    }),
  write: ({ url, headers, query, basicAuth, assertions }: Request) => ({
    url: url ?? '',
    headers: writePairs(headers),
    queryParameters: writePairs(query),
    assertions: writeAssertions(assertions, httpSources),
    basicAuth: basicAuth ?? { username: '', password: '' },
  }),
  merge: (settings, { headers, query, basicAuth, assertions }: Request) => {
    const given = settings.request === undefined ? {} : settings.request
    if (!isMapping(given)) return settings
    const request = given as Request
    const merged = present<unknown>({
      ...request,
      headers: mergedPairs(headers, request.headers, (name) => name.toLowerCase()),
      query: mergedPairs(query, request.query, (name) => name),
      basicAuth: request.basicAuth === undefined ? basicAuth : request.basicAuth,
      assertions: mergedLists(assertions, request.assertions),
    })
    return { ...settings, request: merged }
  },
  secrets: ({ url = '', headers = {}, query = {}, basicAuth }: Request) => ({
    url: URL.canParse(url) ? urlParts(url).secrets : [],
    headers: headerSecrets(headers),
    query: parameterSecrets(query),
    basicAuth: basicAuth && withoutPlainVariables(basicAuth.password || basicAuth.username) !== '' ? authorization(basicAuth).secrets : [],
  }),
  isAt: ({ request: { url } }, address) => URL.canParse(address) && new URL(url).origin === new URL(address).origin,
}

/** A value of the wrong type is kept as it is, so that validation reports it. */
function mergedLists<T>(inherited: readonly T[] | undefined, own: readonly T[] | undefined): readonly T[] | undefined {
  if (own === undefined) return inherited
  return Array.isArray(own) && Array.isArray(inherited) ? [...inherited, ...own] : own
}

/** If both define a name, `own` wins. */
function mergedPairs(inherited: Pairs | undefined, own: Pairs | undefined, nameOf: (name: string) => string): Pairs | undefined {
  if (!inherited || !isMapping(inherited) || (own !== undefined && !isMapping(own))) return own
  const taken = new Set(Object.keys(own ?? {}).map(nameOf))
  return { ...Object.fromEntries(Object.entries(inherited).filter(([name]) => !taken.has(nameOf(name)))), ...own }
}
