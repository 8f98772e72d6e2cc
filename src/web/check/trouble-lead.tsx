import type { ComponentChildren } from 'preact'
import type { Check, CheckStatus } from '../api/answers.ts'
import type { Route } from '../state/route.tsx'
import { elapsed } from '../view/elapsed.ts'
import { Fact } from '../view/fact.tsx'
import { Time } from '../view/time.tsx'
import { useNow } from '../view/use-now.ts'
import { wordsOf } from '../view/words.ts'
import { definitionChange } from './definition-change.ts'
import { LocationLinks } from './location-links.tsx'

type TroubleLeadProps = {
  readonly check: Check
  readonly status: CheckStatus
  readonly route: Route
  readonly state: 'failing' | 'degraded'
  readonly since: Since
  /** Undefined while loading, which keeps its space. */
  readonly reason: string | null | undefined
  /** The affected runs, with a label. */
  readonly runs: { readonly label: string; readonly links: ComponentChildren }
}

/** The start of a problem; `orEarlier` if it began before the examined window. Null if unknown. */
export type Since = { readonly at: number; readonly orEarlier: boolean } | null

/** What is wrong with a check: since when, why, where, in which runs, and what changed before. */
export function TroubleLead({ check, status, route, state, since, reason, runs }: TroubleLeadProps) {
  const now = useNow()
  const where = status.locations.filter((location) => location.state === state).map(({ runLocation }) => runLocation)
  const changes = state === 'failing' ? { filterByStatus: 'failure' } : {}
  return (
    <section class={`panel lead lead-${state}`} data-panel="lead">
      <h2>{titleOf(wordsOf(state), since, now)}</h2>
      {reason !== null && <p class="lead-reason">{reason ?? '…'}</p>}
      <dl>
        <Fact name="Since">{since === null ? '–' : <SinceTime since={since} />}</Fact>
        <Fact name="Where">
          {where.length} of {status.locations.length}: <LocationLinks names={where} route={route} changes={changes} />
        </Fact>
        <Fact name={runs.label}>{runs.links}</Fact>
        <Fact name="Definition">{definitionChange(check, since?.at ?? null)}</Fact>
      </dl>
    </section>
  )
}

function titleOf(word: string, since: Since, now: number): string {
  if (since === null) return word
  return `${word} for ${since.orEarlier ? 'more than ' : ''}${elapsed(now - since.at)}`
}

function SinceTime({ since: { at, orEarlier } }: { since: NonNullable<Since> }) {
  return (
    <>
      {orEarlier && 'before '}
      <Time at={at} zone />
    </>
  )
}
