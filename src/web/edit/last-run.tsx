import type { CheckType, OneResult, RunResult } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import { outcomeWord, runState } from '../check/runs.tsx'
import { RunParts } from '../run/run-parts.tsx'
import { StateMark } from '../view/state.tsx'
import { Time } from '../view/time.tsx'

/** The newest stored run of a check, with all that is kept of it. */
export function LastRun({ id, checkType }: { readonly id: string; readonly checkType: CheckType }) {
  const path = `/v1/check-results/${encodeURIComponent(id)}`
  const { data: run } = useResource(`last run ${id}`, async (api, signal) => {
    const [newest] = (await api.request<RunResult[]>({ path: `${path}?limit=1` }, signal)).data
    return newest === undefined ? null : (await api.request<OneResult>({ path: `${path}/${newest.id}` }, signal)).data
  })
  if (run === undefined || run === null) return null
  return (
    <>
      <h2 class="run-title">
        Its last run, <Time at={Date.parse(run.startedAt)} zone /> <StateMark state={runState(run)} word={outcomeWord(run)} />
      </h2>
      <RunParts run={run} checkType={checkType} />
    </>
  )
}
