import { useMemo } from 'preact/hooks'
import type { Check, CheckStatus, CheckType } from '../api/answers.ts'
import { type Resource, useResource, useSession, useWatch } from '../api/use-resource.ts'
import { Link, navigate, type Route, withQuery } from '../state/route.tsx'
import { windowChanges } from '../state/window.ts'
import { Notice, Skeleton } from '../view/notice.tsx'
import { StateMark, stateOf } from '../view/state.tsx'
import { useTitle } from '../view/use-title.ts'
import { checkState } from './check-state.ts'
import { Locations } from './locations.tsx'
import { MaintenanceNote, useMaintenance } from './maintenance.tsx'
import { PanelView } from './panel-view.tsx'
import { panelsOf } from './panels.ts'
import { Runs } from './runs.tsx'
import { Tiles } from './tiles.tsx'
import { Toolbar } from './toolbar.tsx'
import { useStatus } from './use-status.ts'

type CheckViewProps = { readonly id: string; readonly route: Route; readonly types: Resource<readonly CheckType[]> }

export function CheckView({ id, route, types }: CheckViewProps) {
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
  return <CheckDetails check={check.data} checkType={checkType} route={route} />
}

export function useCheck(id: string): Resource<Check> {
  return useResource(
    `check ${id}`,
    async (api, signal) => (await api.request<Check>({ path: `/v1/checks/${encodeURIComponent(id)}` }, signal)).data,
  )
}

function CheckDetails({ check, checkType, route }: { check: Check; checkType: CheckType; route: Route }) {
  useTitle(check.name)
  useWatch([check.id])
  const { tick } = useSession()
  const now = useMemo(() => Date.now(), [tick])
  const state = useMemo(() => checkState(route, check, checkType, now), [route, check, checkType, now])
  const context = { check, checkType, state }
  const zoom = (from: number, to: number) => navigate(withQuery(route, windowChanges(widened(from, to))))
  const panels = panelsOf(context)
  const status = useStatus(check.id)
  const shades = useMaintenance(check.id, state.window)
  const view = (panel: (typeof panels)[number]) => <PanelView key={panel.id} panel={panel} shades={shades} onZoom={zoom} />
  return (
    <>
      <CheckHead check={check} checkType={checkType} route={route} status={status} />
      <Toolbar route={route} checkType={checkType} state={state} />
      <Tiles context={context} />
      {panels.filter(({ small }) => !small).map(view)}
      <div class="panels-small">{panels.filter(({ small }) => small).map(view)}</div>
      <Locations context={context} status={status.data} />
      <Runs context={context} route={route} now={now} />
    </>
  )
}

const minZoomMs = 60_000

function widened(from: number, to: number): { from: number; to: number } {
  const missing = Math.max(0, minZoomMs - (to - from))
  return { from: Math.round(from - missing / 2), to: Math.round(to + missing / 2) }
}

/** The target of the check in one line. */
function targetOf({ request: { method, hostname, port, ...rest } }: Check): string {
  const host = port === undefined ? hostname : `${hostname}:${port}`
  return [method, host, ...Object.values(rest)].filter((part) => part !== undefined).join(' ')
}

type HeadProps = { readonly check: Check; readonly checkType: CheckType; readonly route: Route; readonly status: Resource<CheckStatus> }

function CheckHead({ check, checkType, route, status }: HeadProps) {
  return (
    <div class="view-head">
      <nav aria-label="Up">
        <Link href={withQuery({ path: '/', query: new URLSearchParams() }, { quickRange: route.query.get('quickRange') })}>Checks</Link>
      </nav>
      <h1>{check.name}</h1>
      {(status.data !== undefined || status.problem !== undefined) && <StateMark state={stateOf(check, status.data)} />}
      <MaintenanceNote checkId={check.id} />
      <Facts check={check} checkType={checkType} />
      <Link class="quiet-button" href={`/checks/${check.id}/badge`}>
        Badge
      </Link>
    </div>
  )
}

/** Type, target, frequency and locations; lines break between facts, not within one. */
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
