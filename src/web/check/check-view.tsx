import { useMemo } from 'preact/hooks'
import type { Check, CheckStatus, CheckType } from '../api/answers.ts'
import { type Resource, useResource, useSession } from '../api/use-resource.ts'
import { go, Link, type Place, withQuery } from '../state/place.tsx'
import { windowChanges } from '../state/window.ts'
import { Notice, Skeleton } from '../view/notice.tsx'
import { StateMark, stateOf } from '../view/state.tsx'
import { useTitle } from '../view/use-title.ts'
import { checkState } from './check-state.ts'
import { PanelView } from './panel-view.tsx'
import { panelsOf } from './panels.ts'
import { Runs } from './runs.tsx'
import { Tiles } from './tiles.tsx'
import { Toolbar } from './toolbar.tsx'

type CheckViewProps = { readonly id: string; readonly place: Place; readonly types: Resource<readonly CheckType[]> }

export function CheckView({ id, place, types }: CheckViewProps) {
  const check = useCheck(id)
  const checkType = types.data?.find((type) => type.checkType === check.data?.checkType)
  const problem = check.problem ?? types.problem
  if (problem !== undefined && check.data === undefined) {
    return (
      <Notice alert title={problem.message}>
        <Link href="/">All checks of this account</Link>
      </Notice>
    )
  }
  if (check.data === undefined || checkType === undefined) return <Skeleton lines={6} height={72} />
  return <Looked check={check.data} checkType={checkType} place={place} />
}

export function useCheck(id: string): Resource<Check> {
  return useResource(
    `check ${id}`,
    async (api, signal) => (await api.ask<Check>({ path: `/v1/checks/${encodeURIComponent(id)}` }, signal)).data,
  )
}

function Looked({ check, checkType, place }: { check: Check; checkType: CheckType; place: Place }) {
  useTitle(check.name)
  const { tick } = useSession()
  const now = useMemo(() => Date.now(), [tick])
  const state = useMemo(() => checkState(place, check, checkType, now), [place, check, checkType, now])
  const look = { check, checkType, state }
  const zoom = (from: number, to: number) => go(withQuery(place, windowChanges(widened(from, to))))
  const panels = panelsOf(look)
  const view = (panel: (typeof panels)[number]) => <PanelView key={panel.id} panel={panel} onZoom={zoom} />
  return (
    <>
      <CheckHead check={check} checkType={checkType} place={place} />
      <Toolbar place={place} checkType={checkType} state={state} />
      <Tiles look={look} />
      {panels.filter(({ small }) => !small).map(view)}
      <div class="panels-small">{panels.filter(({ small }) => small).map(view)}</div>
      <Runs look={look} place={place} now={now} />
    </>
  )
}

const leastZoomMs = 60_000

function widened(from: number, to: number): { from: number; to: number } {
  const missing = Math.max(0, leastZoomMs - (to - from))
  return { from: Math.round(from - missing / 2), to: Math.round(to + missing / 2) }
}

/** What is called, as one would write it. */
function targetOf({ request: { method, hostname, port, ...rest } }: Check): string {
  const host = port === undefined ? hostname : `${hostname}:${port}`
  return [method, host, ...Object.values(rest)].filter((part) => part !== undefined).join(' ')
}

function CheckHead({ check, checkType, place }: { check: Check; checkType: CheckType; place: Place }) {
  const status = useResource(`status ${check.id}`, async (api, signal) => {
    const asked = api.ask<CheckStatus>({ path: `/v1/check-statuses/${check.id}` }, signal)
    return asked.then(({ data }) => data)
  })
  return (
    <div class="view-head">
      <nav aria-label="Up">
        <Link href={withQuery({ path: '/', query: new URLSearchParams() }, { quickRange: place.query.get('quickRange') })}>Checks</Link>
      </nav>
      <h1>{check.name}</h1>
      {(status.data !== undefined || status.problem !== undefined) && <StateMark state={stateOf(check, status.data)} />}
      <Facts check={check} checkType={checkType} />
      <Link class="quiet-button" href={`/checks/${check.id}/badge`}>
        Badge
      </Link>
    </div>
  )
}

/** What is checked, how often and from where; a line breaks between facts rather than in one. */
function Facts({ check, checkType }: { check: Check; checkType: CheckType }) {
  const often = check.frequency > 0 ? `every ${check.frequency} min` : 'several times a minute'
  const facts = [checkType.label, targetOf(check), often, check.locations.join(', ')].filter((fact) => fact !== '')
  return (
    <span class="note check-facts">
      {facts.map((fact, index) => (
        <>
          <span>{index < facts.length - 1 ? `${fact} ·` : fact}</span>{' '}
        </>
      ))}
    </span>
  )
}
