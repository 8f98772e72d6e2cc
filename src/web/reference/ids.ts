import { createApi, type PageCredentials } from '../api/client.ts'
import { idSource, type TriedCall } from './request.ts'

type Entry = { readonly id: string; readonly name?: string; readonly title?: string; readonly checkType?: string }
type Type = { readonly checkType: string; readonly endpoint: string }
export type KnownId = { readonly id: string; readonly name: string }

const loaded = new Map<string, Promise<unknown>>()

/** Ids of the account that fit a call; none without a session or if they cannot be loaded. */
export async function idsFor(call: TriedCall, credentials: PageCredentials | null): Promise<readonly KnownId[]> {
  const source = idSource(call)
  if (source === null || credentials === null) return []
  const [answer, types] = await Promise.all([once(source, credentials), once('/v1/check-types', credentials)])
  const entries = (Array.isArray(answer) ? answer : ((answer as { alerts?: unknown } | null)?.alerts ?? [])) as readonly Entry[]
  const type = ((types ?? []) as readonly Type[]).find(({ endpoint }) => call.path.startsWith(`${endpoint}/`))
  const fitting = type === undefined ? entries : entries.filter(({ checkType }) => checkType === type.checkType)
  return fitting.map(({ id, name, title }) => ({ id, name: name ?? title ?? id }))
}

/** Caches the request, because many calls need the same list. */
function once(path: string, credentials: PageCredentials): Promise<unknown> {
  const key = `${credentials.account} ${path}`
  const before = loaded.get(key)
  if (before !== undefined) return before
  const asked = createApi(credentials)
    .request<unknown>({ path }, new AbortController().signal)
    .then(
      ({ data }) => data,
      () => {
        loaded.delete(key)
        return null
      },
    )
  loaded.set(key, asked)
  return asked
}
