import type { Alert } from '../api/answers.ts'
import type { Api } from '../api/client.ts'
import { checksOf } from './alert-text.ts'

/** The API's maximum number of checks per silence. */
const checksPerSilence = 100

/** Silences all checks of an alert, with several silences if there are many. Returns how many checks there are. */
export async function silenceChecks(
  api: Api,
  alert: Alert,
  times: { readonly duration: string } | { readonly to: string },
  signal: AbortSignal,
): Promise<number> {
  const checks = checksOf(await wholeAlert(api, alert, signal))
  for (let at = 0; at < checks.length; at += checksPerSilence)
    await api.request({ path: '/v1/silences', body: { checks: checks.slice(at, at + checksPerSilence), ...times } }, signal)
  return checks.length
}

/** Lists contain only the first members of an alert, so a longer alert is loaded completely. */
async function wholeAlert(api: Api, alert: Alert, signal: AbortSignal): Promise<Alert> {
  if (alert.members.length >= alert.memberCount) return alert
  return (await api.request<Alert>({ path: `/v1/alerts/${alert.id}` }, signal)).data
}
