import type { CheckGroup } from '../api/answers.ts'
import type { Api } from '../api/client.ts'
import { everyPage } from '../api/every-page.ts'
import { type Resource, useDefinitions } from '../api/use-resource.ts'
import type { Definition } from './definition.ts'

/** The managed groups of the account. */
export function useCheckGroups(): Resource<readonly CheckGroup[]> {
  return useDefinitions('check-groups', (api, signal) => everyPage<CheckGroup>(api, '/v1/check-groups', signal))
}

/** The group named in a definition, loaded if it is not among these; null if it does not exist. */
export function useCheckGroup(groups: readonly CheckGroup[], id: unknown): CheckGroup | null {
  const listed = groups.find((group) => group.id === id)
  const asked = listed === undefined && typeof id === 'number' ? id : null
  const found = useDefinitions(`check-group ${asked}`, (api, signal) => (asked === null ? nothing : loadGroup(api, asked, signal)))
  const other = found.data ?? null
  return listed ?? (other?.id === id ? other : null)
}

const nothing = Promise.resolve(null)

async function loadGroup(api: Api, id: number, signal: AbortSignal): Promise<CheckGroup> {
  return (await api.request<CheckGroup>({ path: `/v1/check-groups/${id}` }, signal)).data
}

/** The settings that a check of this type inherits from its group. */
export function inheritedFrom({ definition }: CheckGroup, type: string): Definition {
  const { defaults = {} } = definition as { readonly defaults?: Definition }
  return { ...defaults, ...(defaults[type] as Definition | undefined) }
}
