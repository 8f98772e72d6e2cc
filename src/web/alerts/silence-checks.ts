import type { Alert } from '../api/answers.ts'
import { type Api, Problem } from '../api/client.ts'
import { checksOf } from './alert-text.ts'

/** The API's maximum number of checks per silence. */
const checksPerSilence = 100

type Times = { readonly duration: string } | { readonly to: string }

/** Silences all checks of an alert, with several silences if there are many. Returns how many checks are silenced. */
export async function silenceChecks(api: Api, alert: Alert, times: Times, signal: AbortSignal): Promise<number> {
  const checks = checksOf(await wholeAlert(api, alert, signal))
  let silenced = 0
  for (let at = 0; at < checks.length; at += checksPerSilence)
    silenced += await silenceKnown(api, checks.slice(at, at + checksPerSilence), times, signal)
  return silenced
}

/** Leaves out removed checks: of one that had recovered before, the alert does not tell. */
async function silenceKnown(api: Api, checks: readonly string[], times: Times, signal: AbortSignal): Promise<number> {
  const silence = (some: readonly string[]) => api.request({ path: '/v1/silences', body: { checks: some, ...times } }, signal)
  try {
    await silence(checks)
    return checks.length
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.code !== 'CHECK_NOT_FOUND') throw problem
    const known = await knownChecks(api, checks, signal)
    if (known.length > 0) await silence(known)
    return known.length
  }
}

/** The summary leaves out unknown checks. */
async function knownChecks(api: Api, checkIds: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  const { data } = await api.request<readonly { checkId: string }[]>({ path: '/v1/analytics/checks', body: { checkIds } }, signal)
  return data.map(({ checkId }) => checkId)
}

/** Lists contain only the first members of an alert, so a longer alert is loaded completely. */
async function wholeAlert(api: Api, alert: Alert, signal: AbortSignal): Promise<Alert> {
  if (alert.members.length >= alert.memberCount) return alert
  return (await api.request<Alert>({ path: `/v1/alerts/${alert.id}` }, signal)).data
}
