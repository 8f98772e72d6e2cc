import type { CheckStatus } from '../api/answers.ts'
import { type Resource, useResource } from '../api/use-resource.ts'

export function useStatus(checkId: string): Resource<CheckStatus> {
  return useResource(
    `status ${checkId}`,
    async (api, signal) => (await api.request<CheckStatus>({ path: `/v1/check-statuses/${checkId}` }, signal)).data,
  )
}
