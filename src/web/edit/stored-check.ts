import { useState } from 'preact/hooks'
import type { CheckDefinition, Fault } from '../api/answers.ts'
import type { Api } from '../api/client.ts'
import { type Resource, useDefinitions } from '../api/use-resource.ts'
import type { Definition } from './definition.ts'

export type EditableCheck = {
  readonly id: string
  readonly definition: Definition
  /** The ETag of the version; null for a check of the config file. */
  readonly tag: string | null
  readonly yaml: string
  /** The place in the config file, such as `tidemark.yaml:12`; null for a managed check. */
  readonly place: string | null
  /** Why the check is not run; empty if it runs. */
  readonly faults: readonly Fault[]
}

/** Loads a check when the form opens, bypassing cached data that may be older than the last save. */
export function useStored(id: string): Resource<EditableCheck> {
  const [openedAt] = useState(() => performance.now())
  return useDefinitions(`stored ${id} ${openedAt}`, (api, signal) => loadStored(api, id, signal))
}

export async function loadStored(api: Api, id: string, signal: AbortSignal): Promise<EditableCheck> {
  const { data, headers } = await api.request<CheckDefinition>({ path: `/v1/checks/${encodeURIComponent(id)}/definition` }, signal)
  const { definition, yaml, place, faults } = data
  return { id, definition, yaml, place, faults, tag: headers.get('etag') }
}
