import type { Check } from './answers.ts'
import { type Resource, useDefinitions } from './use-resource.ts'

export function useCheck(id: string): Resource<Check> {
  return useDefinitions(
    `check ${id}`,
    async (api, signal) => (await api.request<Check>({ path: `/v1/checks/${encodeURIComponent(id)}` }, signal)).data,
  )
}
