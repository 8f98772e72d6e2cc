import type { CheckDefinition } from '../api/answers.ts'
import { type Resource, useResource } from '../api/use-resource.ts'

/** The definition of a check as in the config file. */
export function useDefinition(checkId: string): Resource<CheckDefinition> {
  return useResource(
    `definition ${checkId}`,
    async (api, signal) =>
      (await api.request<CheckDefinition>({ path: `/v1/checks/${encodeURIComponent(checkId)}/definition` }, signal)).data,
  )
}
