import type { Alert, AlertChannel, AlertRule, AlertSilence } from '../api/answers.ts'
import { everyPage } from '../api/every-page.ts'
import { type Resource, useDefinitions, useResource } from '../api/use-resource.ts'

/** A page of alerts, newest first; `next` is the cursor of the next page. */
export type AlertPage = { readonly alerts: readonly Alert[]; readonly pagination: { readonly next: string | null } }

export function useAlertPage(params: Readonly<Record<string, string | null>>): Resource<AlertPage> {
  const query = new URLSearchParams(Object.entries(params).flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
  return useResource(`alerts ${query}`, async (api, signal) => (await api.request<AlertPage>({ path: `/v1/alerts?${query}` }, signal)).data)
}

/** Open alerts: the newest, or those of a page; `checkId` restricts them to one check. */
export function useOpenAlerts({ checkId = null, cursor = null }: { checkId?: string | null; cursor?: string | null } = {}) {
  return useAlertPage({ state: 'open', limit: '100', checkId, cursor })
}

export function useSilences(): Resource<readonly AlertSilence[]> {
  return useResource('silences', (api, signal) => everyPage<AlertSilence>(api, '/v1/silences', signal))
}

export function useAlertChannels(): Resource<readonly AlertChannel[]> {
  return useResource('alert-channels', (api, signal) => everyPage<AlertChannel>(api, '/v1/alert-channels', signal))
}

export function useAlertRules(): Resource<readonly AlertRule[]> {
  return useDefinitions('alert-rules', (api, signal) => everyPage<AlertRule>(api, '/v1/alert-rules', signal))
}
