import type { CheckType } from '../checks/define.ts'
import { resultRow } from '../ingest/export.ts'
import { type Assignment, checkFromServer, type SentTrial, type TrialAnswer } from '../locations/protocol.ts'
import type { RunnerLog } from '../runner/log.ts'
import type { TrialRuns } from '../runner/trial-runs.ts'
import { type EvidenceLimits, encodeEvidence } from '../store/evidence.ts'
import { Refusal, reasonOf } from './refusal.ts'
import type { ServerConnection } from './server-connection.ts'

type Options = {
  readonly connection: Pick<ServerConnection, 'send'>
  readonly run: TrialRuns
  readonly checkTypes: readonly CheckType[]
  readonly log: RunnerLog
  /** Ends runs in progress. */
  readonly signal: AbortSignal
}

const postTimeoutMs = 30_000

/** Runs each trial of an assignment once, and sends its outcome to the server. Stores nothing. */
export function createTrialRunner({ connection, run, checkTypes, log, signal }: Options): (assignment: Assignment) => void {
  let begun: ReadonlySet<string> = new Set()

  async function answerOf({ check: sent }: SentTrial, { account, evidence: limits }: Assignment): Promise<TrialAnswer | null> {
    const check = checkFromServer(sent, account, checkTypes)
    if (!check) return { problem: 'this agent version does not support its settings' }
    const trial = await run(check, signal)
    if ('aborted' in trial) return null
    if ('busy' in trial) return { problem: 'too many trials are in progress' }
    if ('notMade' in trial) return { problem: trial.notMade }
    const row = JSON.parse(resultRow(check.id, trial.result)) as object
    return { result: { ...row, ...encoded(trial.evidence, limits) } }
  }

  async function carryOut(trial: SentTrial, assignment: Assignment): Promise<void> {
    try {
      const body = await answerOf(trial, assignment)
      if (body === null) return
      const answer = await connection.send(`v1/agents/trials/${trial.id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        timeoutMs: postTimeoutMs,
      })
      if (answer.status !== 204) throw new Refusal(answer)
    } catch (error) {
      log.warn({ reason: reasonOf(error) }, 'Could not send the outcome of a trial to the server.')
    }
  }

  return (assignment) => {
    const { trials = [] } = assignment
    const known = begun
    begun = new Set(trials.map(({ id }) => id))
    for (const trial of trials) if (!known.has(trial.id)) void carryOut(trial, assignment)
  }
}

function encoded(evidence: Parameters<typeof encodeEvidence>[0] | null, limits: EvidenceLimits): { readonly evidence?: string } {
  const bytes = evidence && encodeEvidence(evidence, limits)
  return bytes ? { evidence: Buffer.from(bytes).toString('base64') } : {}
}
