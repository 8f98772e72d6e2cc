import { type Check, type EvidenceMode, refOf } from '../catalogue/catalogue.ts'
import { hiddenTexts } from '../catalogue/written-definition.ts'
import { classify, deadlineAfter, isOfThePast, type PingSchedule, pingOutcome } from '../checks/probe/pings.ts'
import { redactedEnd, redactor } from '../checks/probe/redact.ts'
import { newestOf } from '../store/current-state.ts'
import { type EvidenceLimits, encodeEvidence } from '../store/evidence.ts'
import type { FiledResult, Result, Store } from '../store/store.ts'

export type PingKind = 'alive' | 'failed'

/** The report of a job. */
export type Ping = {
  readonly kind: PingKind
  /** Why it failed, if the job gives a reason. */
  readonly error: string | null
  /** How long the job ran; null if unknown. */
  readonly durationMs: number | null
  /** A line that was sent with the ping. */
  readonly note: string
}

type ReceivedPing = Ping & { readonly now: number; readonly body: string; readonly token: string; readonly rules: PingEvidenceRules }

/** Stores a ping, and the missed deadline before it unless that is stored already; resolves once both are on disk. */
export async function receivePing(store: Store, check: Check, ping: ReceivedPing): Promise<void> {
  const { kind, now, durationMs } = ping
  const rhythm = check.checkType.pingSettings?.(check.settings)
  if (!rhythm) return
  const ref = refOf(check)
  const toFiled = (outcome: Omit<Result, 'id'>): FiledResult => ({ check: ref, result: { id: null, ...outcome } })
  // Fresh, since another process may just have stored the previous ping.
  const [latest] = await store.latest([ref], { fresh: true })
  const newest = newestOf((latest?.byLocation ?? []).filter(({ startedAt }) => startedAt <= now))
  const previous = newest !== null && isOfThePast(newest, rhythm) ? null : newest
  const missed = unrecordedMiss(check, previous, rhythm, now)
  const judged = pingOutcome(kind === 'failed' ? 'reported' : classify(previous, now, rhythm), now)
  const hidden = redactor([...hiddenTexts(check), ping.token])
  const error = judged.error && (ping.error || hidden(ping.note) || judged.error)
  const values: Result['values'] = durationMs === null ? {} : { duration: durationMs }
  const body = [ping.note, ping.body].filter((text) => text !== '').join('\n')
  const evidence = pingEvidence({ check, token: ping.token, body, startedAt: now, error }, ping.rules)
  const filed = { ...toFiled({ ...judged, error, values }), ...(evidence && { evidence }) }
  await store.append([...(missed === null ? [] : [toFiled(pingOutcome('missed', missed))]), filed])
}

/** The deadline that was missed before this ping. The deadline watcher no longer sees that miss once the ping is stored. */
function unrecordedMiss({ activated, updatedAt }: Check, previous: Result | null, rhythm: PingSchedule, now: number): number | null {
  if (!activated) return null
  const deadline = deadlineAfter(previous, rhythm, now)
  return deadline !== null && deadline < now && deadline >= updatedAt ? deadline : null
}

type PingEvidenceRules = EvidenceLimits & { readonly mode: EvidenceMode }

/** The end of an output is kept: it shows how a job ended. */
const maxLength = 8000
const maxLines = 400

type PingOutput = {
  readonly check: Check
  readonly token: string
  readonly body: string
  readonly startedAt: number
  readonly error: string | null
}

/** The body of a ping as evidence; null if none is kept. */
function pingEvidence({ check, token, body, startedAt, error }: PingOutput, { mode, ...limits }: PingEvidenceRules): Uint8Array | null {
  const wanted = check.evidence ?? mode
  if (body.trim() === '' || wanted === 'none' || (wanted === 'failures' && error === null)) return null
  const messages = redactedEnd(body, maxLength, [...hiddenTexts(check), token])
    .trimEnd()
    .split(/\r?\n/)
    .slice(-maxLines)
  return encodeEvidence({ attempts: [{ startedAt, error, assertions: [], response: null, steps: [], messages }], screenshot: null }, limits)
}
