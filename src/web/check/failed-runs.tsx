import type { Outage } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import { anyOutage, outagesPath } from '../outages/outage-query.ts'
import { FirstAndLastRun } from '../outages/outages-table.tsx'
import { defaultWindow } from '../state/window.ts'

/** The first and the last failed run of the outage that a check is in. */
export function FailedRuns({ checkId }: { readonly checkId: string }) {
  const filter = { ...anyOutage, checkId, state: 'open' } as const
  const { data, problem } = useResource(`open outage ${checkId}`, async (api, signal) => {
    const path = outagesPath(filter, defaultWindow, [['limit', '1']])
    return (await api.request<{ outages: readonly Outage[] }>({ path }, signal)).data.outages
  })
  const [open] = data ?? []
  if (open !== undefined) return <FirstAndLastRun outage={open} />
  return data === undefined && problem === undefined ? '…' : '–'
}
