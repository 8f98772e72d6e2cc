import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { CheckAlerts } from '../alerts/alert-notes.tsx'
import { useOpenAlerts } from '../alerts/use-alerts.ts'
import type { Alert, Check, CheckStatus, CheckType, Maintenance } from '../api/answers.ts'
import { useCheck } from '../api/use-check.ts'
import { firstProblem, type Resource, settled, useResource, useSession, useWatch } from '../api/use-resource.ts'
import { useMayWrite } from '../api/use-scope.ts'
import type { Shade } from '../chart/line.ts'
import { navigate, type Route, RouteLink, upTo, windowOnly, withQuery } from '../state/route.tsx'
import { windowOf } from '../state/window.ts'
import { unzoom, zoomTo } from '../state/zoom.ts'
import { Choice } from '../view/fields.tsx'
import { plural } from '../view/figures.ts'
import { ProblemNotice, Skeleton } from '../view/notice.tsx'
import { StateMark, stateOf } from '../view/state.tsx'
import { Tags } from '../view/tags.tsx'
import { useRenderTimeout } from '../view/use-render-timeout.ts'
import { useTitle } from '../view/use-title.ts'
import { CheckActions, type DefinitionSource, useDefinitionSource } from './check-actions.tsx'
import { CheckDays } from './check-days.tsx'
import { type CheckViewState, checkViewState } from './check-options.ts'
import { CheckSlos } from './check-slos.tsx'
import { comparedQuery } from './compare.ts'
import { emptyText } from './empty-text.ts'
import { FailuresPanel } from './failures.tsx'
import { FaultyCheckView } from './faulty-check.tsx'
import { HourWeekPanel } from './hour-week-panel.tsx'
import { CheckLead } from './lead.tsx'
import { Locations } from './locations.tsx'
import { MaintenanceNote, useComingMaintenance, useMaintenance, useShades } from './maintenance.tsx'
import { CheckOutages } from './outages.tsx'
import { expectedDrawing } from './panel.ts'
import { PanelView } from './panel-view.tsx'
import { panelsOf } from './panels.ts'
import { RunsPanel, runsHref } from './runs.tsx'
import { SpreadPanel } from './spread-panel.tsx'
import { runsOf, Tiles, useTotals } from './tiles.tsx'
import { Toolbar } from './toolbar.tsx'

/** How long to wait for the notes in the page head. The status is always awaited: it decides whether there is a panel above all others. */
const notesTimeoutMs = 1500

type CheckViewProps = { readonly id: string; readonly route: Route; readonly types: Resource<readonly CheckType[]> }

export function CheckView({ id, route, types }: CheckViewProps) {
  const check = useCheck(id)
  const status = useStatus(id)
  const alerts = useOpenAlerts({ checkId: id })
  const coming = useComingMaintenance(id)
  const maintenance = useMaintenance(id, windowOf(route))
  const source = useDefinitionSource(id)
  const mayWrite = useMayWrite()
  const timedOut = useRenderTimeout(notesTimeoutMs)
  // Data from before a deletion would look current.
  const failed = check.problem?.code === 'CHECK_NOT_FOUND' ? check : firstProblem(check, types)
  const checkType = types.data?.find((type) => type.checkType === check.data?.checkType)
  if (check.problem?.code === 'CHECK_FAULTY') return <FaultyCheckView id={id} problem={check.problem} />
  if (failed !== null) {
    return (
      <ProblemNotice whole of={failed}>
        <RouteLink href="/">All checks of this account</RouteLink>
        {mayWrite && (
          <>
            , <RouteLink href="/deleted">checks deleted in the last hour</RouteLink>
          </>
        )}
      </ProblemNotice>
    )
  }
  const complete = settled(status) && (timedOut || ([alerts, coming, maintenance, source].every(settled) && mayWrite !== undefined))
  if (check.data === undefined || checkType === undefined || !complete) return <Skeleton lines={6} height={72} />
  const details = { check: check.data, checkType, route, status, alerts: alerts.data?.alerts ?? [], coming, maintenance }
  return <CheckDetails {...details} source={source.data} mayWrite={mayWrite === true} />
}

type DetailsProps = {
  readonly check: Check
  readonly checkType: CheckType
  readonly route: Route
  readonly status: Resource<CheckStatus>
  /** Open alerts only. */
  readonly alerts: readonly Alert[]
  /** Maintenance within the next week. */
  readonly coming: Resource<readonly Maintenance[]>
  /** Maintenance in the window. */
  readonly maintenance: Resource<readonly Maintenance[]>
  readonly source: DefinitionSource | undefined
  readonly mayWrite: boolean
}

function CheckDetails({ check, checkType, route, status, alerts, coming, maintenance, source, mayWrite }: DetailsProps) {
  useTitle(check.name)
  useWatch([check.id], { alerts: true })
  const { tick } = useSession()
  const now = useMemo(() => Date.now(), [tick])
  const state = useMemo(() => checkViewState(route, check, checkType, now), [route, check, checkType, now])
  const context = { check, checkType, state }
  const zoom = {
    onZoom: (from: number, to: number) => zoomTo(route, widened(from, to)),
    onUnzoom: () => unzoom(route),
  }
  const totals = useTotals(context)
  const panels = panelsOf(context)
  const shades = useShades(maintenance)
  const ahead = useShades(coming)
  const runs = runsOf(totals.data)
  const view = (panel: (typeof panels)[number]) => (
    <PanelView
      key={panel.id}
      panel={panel}
      expected={expectedDrawing(panel, context, now)}
      shades={shades}
      empty={emptyText(runs, state)}
      before={panel.before && state.compare !== null ? comparedQuery(context, [panel.before.metric], state.bucket) : null}
      control={panel.counts && <CountChoice state={state} route={route} />}
      {...zoom}
    />
  )
  const lead = (
    <>
      <CheckHead {...{ check, checkType, route, status, alerts, source, mayWrite }} coming={ahead} />
      {status.data && <CheckLead check={check} checkType={checkType} status={status.data} route={route} />}
    </>
  )
  if (status.data?.lastCheckRunId === null && !runs?.total) return lead
  return (
    <>
      {lead}
      <CheckDays check={check} route={route} />
      <Toolbar route={route} checkType={checkType} state={state} />
      <Tiles context={context} totals={totals} route={route} />
      {panels.filter(({ small }) => !small).map(view)}
      <div class="panels-small">{panels.filter(({ small }) => small).map(view)}</div>
      <SpreadPanel context={context} />
      <HourWeekPanel context={context} now={now} />
      <Locations context={context} status={status.data} route={route} />
      <FailuresPanel context={context} route={route} />
      <CheckOutages context={context} route={route} now={now} runs={runs?.total} />
      <CheckSlos checkId={check.id} />
      <RunsPanel context={context} route={route} now={now} />
    </>
  )
}

function CountChoice({ state, route }: { state: CheckViewState; route: Route }) {
  const choose = (by: string) => navigate(withQuery(route, { availabilityBy: by === 'time' ? 'time' : null }))
  return <Choice label="Availability counts" value={state.by} options={countChoices} onChange={choose} />
}

const countChoices = [
  { value: 'runs', label: 'by runs' },
  { value: 'time', label: 'by time' },
]

const minZoomMs = 60_000

function widened(from: number, to: number): { from: number; to: number } {
  const missing = Math.max(0, minZoomMs - (to - from))
  return { from: Math.round(from - missing / 2), to: Math.round(to + missing / 2) }
}

function targetOf({ request: { method, hostname, port, ...rest } }: Check): string {
  const host = port === undefined ? hostname : `${hostname}:${port}`
  return [method, host, ...Object.values(rest)].filter((part) => part !== undefined).join(' ')
}

type HeadProps = Omit<DetailsProps, 'coming' | 'maintenance'> & { readonly coming: readonly Shade[] }

function CheckHead({ check, checkType, route, status, alerts, coming, source, mayWrite }: HeadProps) {
  return (
    <div class="view-head">
      <nav aria-label="Up">
        <RouteLink href={upTo('/', route, route.query)}>Checks</RouteLink>
      </nav>
      <h1>{check.name}</h1>
      {settled(status) && <StateMark state={stateOf(check, status.data)} />}
      {check.muted && <span class="chip">muted</span>}
      <Certificate days={status.data?.sslDaysRemaining ?? null} />
      <MaintenanceNote coming={coming} />
      <Tags
        tags={check.tags}
        hrefOf={(tag) => withQuery({ path: '/', query: new URLSearchParams() }, { tag, ...windowOnly(route.query) })}
      />
      <Facts check={check} checkType={checkType} route={route} />
      <CheckActions check={check} source={source} mayWrite={mayWrite} />
      <CheckAlerts alerts={alerts} />
    </div>
  )
}

const fewDays = 14

function Certificate({ days }: { days: number | null }) {
  if (days === null || days >= fewDays) return null
  return <span class="chip chip-alert">{days < 0 ? 'certificate expired' : `certificate: ${plural(days, 'day')} left`}</span>
}

/** Type, target, frequency and locations; locations link to their runs. Lines break between facts, not within one. */
function Facts({ check, checkType, route }: { check: Check; checkType: CheckType; route: Route }) {
  const often = check.frequency > 0 ? `every ${check.frequency} min` : 'several times a minute'
  const facts: ComponentChildren[] = [checkType.label, targetOf(check), often].filter((fact) => fact !== '')
  const isLong = check.locations.length > fewLocations
  const places = check.locations.map((location) => <RouteLink href={runsHref(route, { location })}>{location}</RouteLink>)
  const locations = isLong ? [<LocationsFold places={places} />] : places
  return (
    <span class="note check-facts">
      {[...facts, ...locations].map((fact, index, all) => (
        <>
          <span>
            {fact}
            {index < all.length - 1 && (index < facts.length ? ' ·' : ',')}
          </span>{' '}
        </>
      ))}
    </span>
  )
}

const fewLocations = 5

/** A collapsible list for checks with many locations. */
function LocationsFold({ places }: { places: readonly ComponentChildren[] }) {
  return (
    <details class="locations-fold">
      <summary>{plural(places.length, 'location')}</summary>
      <ul>
        {places.map((place, index) => (
          <li key={index}>{place}</li>
        ))}
      </ul>
    </details>
  )
}

function useStatus(checkId: string): Resource<CheckStatus> {
  return useResource(
    `status ${checkId}`,
    async (api, signal) => (await api.request<CheckStatus>({ path: `/v1/check-statuses/${checkId}` }, signal)).data,
  )
}
