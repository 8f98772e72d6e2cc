import { useState } from 'preact/hooks'
import type { CheckDefinition, Fault } from '../api/answers.ts'
import type { Api } from '../api/client.ts'
import { type Resource, useDefinitions } from '../api/use-resource.ts'
import type { Definition } from './definition.ts'

/** A check as it is stored. */
export type EditableCheck = {
  readonly id: string
  readonly definition: Definition
  /** The ETag of its version; null where the config file has it. */
  readonly tag: string | null
  readonly yaml: string
  /** Where the config file has it, such as `tidemark.yaml:12`. */
  readonly place: string | null
  /** Why it is not run; empty for one that is. */
  readonly faults: readonly Fault[]
}

/** A check as it is stored when this is first shown: what was loaded before may be older than what was saved since. */
export function useStored(id: string): Resource<EditableCheck> {
  const [openedAt] = useState(() => performance.now())
  return useDefinitions(`stored ${id} ${openedAt}`, (api, signal) => loadStored(api, id, signal))
}

export async function loadStored(api: Api, id: string, signal: AbortSignal): Promise<EditableCheck> {
  const { data, headers } = await api.request<CheckDefinition>({ path: `/v1/checks/${encodeURIComponent(id)}/definition` }, signal)
  const { definition, yaml, place, faults } = data
  return { id, definition, yaml, place, faults, tag: headers.get('etag') }
}
