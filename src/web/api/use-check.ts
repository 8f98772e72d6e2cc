import type { Check } from './answers.ts'
import { type Resource, useDefinitions } from './use-resource.ts'

/** A check in its effective form, including settings of its group. */
export function useCheck(id: string): Resource<Check> {
  return useDefinitions(`check ${id}`, async (api, signal) => {
    const { data } = await api.request<Check | ManagedCheck>({ path: `/v1/checks/${encodeURIComponent(id)}` }, signal)
    return 'effective' in data ? data.effective : data
  })
}

type ManagedCheck = { readonly effective: Check }
