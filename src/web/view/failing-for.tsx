import type { CheckStatus } from '../api/answers.ts'
import { elapsed } from './elapsed.ts'
import { useNow } from './use-now.ts'

export type Trouble = Pick<CheckStatus, 'state'> & Partial<Pick<CheckStatus, 'failingSince' | 'reason' | 'updated_at' | 'lastCheckRunId'>>

const mostLetters = 200

/** `for 3 h · status 503, expected 200` for a failing check, how long an unknown check has been silent, else empty. */
export function troubleText(status: Trouble | undefined, now: number): string {
  if (status?.state === 'failing') return [forText(status.failingSince, now), reasonLine(status.reason)].filter(Boolean).join(' · ')
  if (status?.state !== 'unknown') return ''
  if (!status.lastCheckRunId || status.updated_at === undefined) return 'no run yet'
  return `no run for ${elapsed(now - Date.parse(status.updated_at))}`
}

function forText(since: string | null | undefined, now: number): string {
  return since ? `for ${elapsed(now - Date.parse(since))}` : ''
}

/** The first line of an error, since an error may contain a whole page. */
export function reasonLine(reason: string | null | undefined): string {
  const [line = ''] = (reason ?? '').trim().split('\n')
  return line.length > mostLetters ? `${line.slice(0, mostLetters)}…` : line
}

/** Describes the trouble of a check in one line that follows the clock. */
export function TroubleNote({ status }: { readonly status: Trouble | undefined }) {
  const text = troubleText(status, useNow())
  if (text === '') return null
  return (
    <span class="trouble-note" title={status?.reason ?? ''}>
      {text}
    </span>
  )
}
