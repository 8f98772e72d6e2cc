import { useState } from 'preact/hooks'
import { type Action, useAction } from '../alerts/use-action.tsx'
import type { Fault, TriedRun } from '../api/answers.ts'
import { type ApiRequest, Problem } from '../api/client.ts'

/** The endpoint that tries a definition in the role of the stored check. Without a location, it runs on the server. */
export function tryPath(storedId: string | null, location = ''): string {
  const query = new URLSearchParams({ form: 'file', ...(storedId !== null && { checkId: storedId }), ...(location !== '' && { location }) })
  return `/v1/checks/try?${query}`
}

export type CheckTrial = {
  readonly action: Action
  readonly run: TriedRun | null
  start(request: ApiRequest): Promise<void>
}

/** Runs a definition once. Passes its faults to `onFaults`. */
export function useTrial(onFaults: (faults: readonly Fault[]) => void): CheckTrial {
  const action = useAction()
  const [run, setRun] = useState<TriedRun | null>(null)
  const start = (request: ApiRequest) =>
    action.run(async (api, signal) => {
      setRun(null)
      try {
        setRun((await api.request<TriedRun>(request, signal)).data)
      } catch (fault) {
        if (!(fault instanceof Problem) || fault.faults.length === 0) throw fault
        onFaults(fault.faults)
      }
    })
  return { action, run, start }
}
