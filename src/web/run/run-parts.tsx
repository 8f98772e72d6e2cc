import type { CheckType, ShownRun } from '../api/answers.ts'
import { EvidenceView } from './evidence-view.tsx'
import { Figures } from './figures.tsx'
import { Pages } from './pages.tsx'
import { Waterfall } from './waterfall.tsx'

type RunPartsProps = {
  readonly run: ShownRun
  readonly checkType: CheckType
  /** The URL of the runs at a location, if there are others. */
  readonly runsAt?: (location: string) => string
}

/** The metrics and evidence of a run, stored or not. */
export function RunParts({ run, checkType, runsAt }: RunPartsProps) {
  return (
    <>
      {run.error !== null && (
        <section class="panel" data-panel="reason">
          <header>
            <h2>Why it failed</h2>
          </header>
          <p class="run-reason">{run.error}</p>
        </section>
      )}
      <Figures run={run} checkType={checkType} runsAt={runsAt} />
      <Waterfall run={run} checkType={checkType} />
      <Pages run={run} checkType={checkType} />
      <EvidenceView evidence={run.evidence} failed={run.hasFailures} />
    </>
  )
}
