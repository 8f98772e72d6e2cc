import { useState } from 'preact/hooks'
import type { CheckType, OneResult, RunResult, TriedRun } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import { outcomeWord, runState } from '../check/runs.tsx'
import { RunParts } from '../run/run-parts.tsx'
import { Copyable } from '../share/copyable.tsx'
import { Skeleton } from '../view/notice.tsx'
import { StateMark } from '../view/state.tsx'
import { Time } from '../view/time.tsx'
import type { AssertionRow } from './assertion.ts'
import type { Definition } from './definition.ts'
import { PickPanel } from './pick-panel.tsx'
import { useAfterPause } from './use-after-pause.ts'
import { type CheckTrial, tryPath } from './use-trial.ts'

type RunSideProps = {
  readonly checkType: CheckType
  readonly trial: CheckTrial
  readonly storedId: string | null
  readonly sources: readonly string[]
  readonly sent: Definition
  onPick(row: AssertionRow): void
}

/** The panel next to the form: the trial of its contents, else the last stored run, and the YAML for the config file. */
export function RunSide({ checkType, trial, storedId, sources, sent, onPick }: RunSideProps) {
  const { run, action } = trial
  const response = run?.evidence?.attempts.at(-1)?.response
  return (
    <section class="run-side" aria-label="Run and text">
      <p class="unseen" role="status">
        {run === null ? '' : `The run ${outcomeWord(run)}.`}
      </p>
      {action.isRunning && <Skeleton lines={4} height={48} />}
      {run !== null && (
        <>
          <h2 class="run-title">
            This run <StateMark state={runState(run)} word={outcomeWord(run)} />
          </h2>
          {response && <PickPanel response={response} sources={sources} onPick={onPick} />}
          <RunParts run={run} checkType={checkType} />
        </>
      )}
      {run === null && !action.isRunning && storedId !== null && <LastRun id={storedId} checkType={checkType} />}
      {run === null && !action.isRunning && storedId === null && !checkType.pinged && (
        <p class="note run-hint">"Run now" runs it once with these settings and shows the result. Nothing is stored.</p>
      )}
      <YamlFold sent={sent} storedId={storedId} />
    </section>
  )
}

/** The newest stored run of a check, with its evidence. */
function LastRun({ id, checkType }: { readonly id: string; readonly checkType: CheckType }) {
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

/** The form's contents as YAML for the config file, loaded when opened. */
function YamlFold({ sent, storedId }: { readonly sent: Definition; readonly storedId: string | null }) {
  const [isOpen, setOpen] = useState(false)
  const { data, isCurrent } = useAfterPause<Pick<TriedRun, 'yaml'>>(isOpen ? { path: `${tryPath(storedId)}&run=false`, body: sent } : null)
  return (
    <details class="panel form-fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As YAML</summary>
      {data !== null && <Copyable label="For checks: in the config file" text={data.yaml} />}
      {data === null && isCurrent && <p class="note">Shown once the form has no errors.</p>}
    </details>
  )
}
