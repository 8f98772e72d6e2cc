import type { CheckType } from '../api/answers.ts'
import { outcomeWord, runState } from '../check/runs.tsx'
import { RunParts } from '../run/run-parts.tsx'
import { Skeleton } from '../view/notice.tsx'
import { StateMark } from '../view/state.tsx'
import type { AssertionRow } from './assertion.ts'
import type { Definition } from './definition.ts'
import { LastRun } from './last-run.tsx'
import { PickPanel } from './pick-panel.tsx'
import type { CheckTrial } from './use-trial.ts'
import { YamlFold } from './yaml-fold.tsx'

type RunSideProps = {
  readonly checkType: CheckType
  readonly trial: CheckTrial
  readonly storedId: string | null
  /** What the check can assert. */
  readonly sources: readonly string[]
  readonly sent: Definition
  onPick(row: AssertionRow): void
}

/** Beside the form: the run of what is in it, or else the last one that is stored, and its text for the config file. */
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
        <p class="note run-hint">"Run now" runs it once, as it is in the form, and shows all that it found. Nothing is stored.</p>
      )}
      <YamlFold sent={sent} storedId={storedId} />
    </section>
  )
}
