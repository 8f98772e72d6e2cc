import type { Alert, AlertChannel, AlertRule, AlertSilence, Caller } from '../api/answers.ts'
import { type Resource, useDefinitions, useResource } from '../api/use-resource.ts'

export const mostOpen = 100

/** Those that are open now; `checkId` for one check alone. */
export function useOpenAlerts(checkId: string | null = null): Resource<readonly Alert[]> {
  const query = new URLSearchParams({ state: 'open', limit: String(mostOpen), ...(checkId !== null && { checkId }) })
  return useResource(
    `alerts ${query}`,
    async (api, signal) => (await api.request<{ alerts: Alert[] }>({ path: `/v1/alerts?${query}` }, signal)).data.alerts,
  )
}

export function useSilences(): Resource<readonly AlertSilence[]> {
  return useResource(
    'silences',
    async (api, signal) => (await api.request<AlertSilence[]>({ path: '/v1/silences?limit=100' }, signal)).data,
  )
}

export function useAlertChannels(): Resource<readonly AlertChannel[]> {
  return useResource(
    'alert-channels',
    async (api, signal) => (await api.request<AlertChannel[]>({ path: '/v1/alert-channels?limit=100' }, signal)).data,
  )
}

export function useAlertRules(): Resource<readonly AlertRule[]> {
  return useDefinitions(
    'alert-rules',
    async (api, signal) => (await api.request<AlertRule[]>({ path: '/v1/alert-rules?limit=100' }, signal)).data,
  )
}

/** Whether the key may acknowledge and silence; undefined until it is known. */
export function useMayOperate(): boolean | undefined {
  const { data } = useDefinitions('me', async (api, signal) => (await api.request<Caller>({ path: '/next/users/me' }, signal)).data)
  return data?.scopes.some((scope) => scope === 'operate' || scope === 'admin')
}
