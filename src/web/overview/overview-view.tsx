import { OverviewAlerts } from '../alerts/alert-notes.tsx'
import { useAlertChannels, useOpenAlerts } from '../alerts/use-alerts.ts'
import { settled, useResource } from '../api/use-resource.ts'
import { anyOutage, type OutageFilter } from '../outages/outage-query.ts'
import { type Route, RouteLink, withQuery } from '../state/route.tsx'
import { type TimeWindow, windowChanges, windowOf } from '../state/window.ts'
import { TroubleNote } from '../view/failing-for.tsx'
import { figure } from '../view/figures.ts'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { StateMark } from '../view/state.tsx'
import { useRenderTimeout } from '../view/use-render-timeout.ts'
import { useTitle } from '../view/use-title.ts'
import { WindowPicker } from '../view/window-picker.tsx'
import { type Day, daysOf } from './days.ts'
import { DaysPanel } from './days-panel.tsx'
import { type GroupMember, groupName, passingText, type TagGroup, troubledIn } from './groups.ts'
import { type FiguresByTag, loadDays, loadFigures } from './load-figures.ts'
import { troubledAndCalm } from './troubled-groups.ts'
import { useDays } from './use-days.ts'
import { useGroups } from './use-groups.ts'

const mostNamed = 3

/** The account by tag: worst state, passing checks, availability, and ninety days. */
export function OverviewView({ route }: { readonly route: Route }) {
  useTitle('Overview')
  const loaded = useGroups()
  const alerts = useOpenAlerts()
  const channels = useAlertChannels()
  const timedOut = useRenderTimeout()
  const { groups, problem } = loaded
  const complete = timedOut || [alerts, channels].every(settled)
  if (groups === undefined || !complete)
    return problem === undefined ? <Skeleton lines={6} height={96} /> : <ProblemNotice whole of={loaded} />
  return (
    <>
      <div class="view-head">
        <h1>Overview</h1>
        <RouteLink class="quiet-button" href="/wall">
          Wall view
        </RouteLink>
      </div>
      <ProblemNotice of={loaded} />
      <OverviewAlerts open={alerts.data ?? { alerts: [], pagination: { next: null } }} channels={channels.data ?? []} />
      {groups.length === 0 ? (
        <Notice title="This account has no checks yet.">
          Add the first one to see its state here: <RouteLink href="/">how to add a check</RouteLink>
        </Notice>
      ) : (
        <Groups groups={groups} route={route} />
      )}
    </>
  )
}

function Groups({ groups, route }: { groups: readonly TagGroup[]; route: Route }) {
  const window = windowOf(route)
  const untagged = untaggedIds(groups)
  const figures = useResource(`by tag ${JSON.stringify([window, untagged])}`, (api, signal) =>
    loadFigures(api, { window, untagged }, signal),
  )
  return (
    <>
      <div class="toolbar">
        <WindowPicker route={route} />
      </div>
      <ProblemNotice of={figures} />
      {Object.entries(troubledAndCalm(groups)).map(([kind, some]) => (
        <ul key={kind} class={`tag-squares tag-squares-${kind}`}>
          {some.map((group) => (
            <Square key={group.tag} group={group} figures={figures.data} failed={figures.problem !== undefined} window={window} />
          ))}
        </ul>
      ))}
      <Days groups={groups} untagged={untagged} />
    </>
  )
}

type SquareProps = {
  readonly group: TagGroup
  readonly figures: FiguresByTag | undefined
  /** Whether loading the figures failed. */
  readonly failed: boolean
  readonly window: TimeWindow
}

function Square({ group, figures, failed, window }: SquareProps) {
  const availability = figures?.get(group.tag)?.[0]?.availability
  const troubled = troubledIn(group)
  return (
    <li class={`tag-square tag-square-${group.worst}`}>
      <h2>
        <GroupLink group={group} changes={windowChanges(window)} />
      </h2>
      <StateMark state={group.worst} />
      <p>{passingText(group)}</p>
      <p class="tag-availability">
        {figures === undefined && !failed ? <Skeleton /> : figure(typeof availability === 'number' ? availability : null, 'percentage')}
      </p>
      {troubled.slice(0, mostNamed).map((member) => (
        <NamedMember key={member.check.id} member={member} window={window} />
      ))}
      {troubled.length > mostNamed && <p class="note">and {troubled.length - mostNamed} more</p>}
    </li>
  )
}

function NamedMember({ member: { check, state, status }, window }: { member: GroupMember; window: TimeWindow }) {
  return (
    <p class="tag-trouble">
      <StateMark state={state} words={false} />{' '}
      <RouteLink href={withChanges(`/checks/${check.id}`, windowChanges(window))}>{check.name}</RouteLink> <TroubleNote status={status} />
    </p>
  )
}

function Days({ groups, untagged }: { groups: readonly TagGroup[]; untagged: readonly string[] }) {
  const tags = groups.filter(({ tag }) => tag !== null).length
  const figures = useDays({
    name: `days by tag ${untagged.join()}`,
    checks: () => JSON.stringify(groups.map(({ tag, members }) => [tag, members.map(({ check }) => check.id).sort()]).sort()),
    load: (api, days, signal) => loadDays(api, { days, untagged, tags }, signal),
  })
  const { data, now } = figures
  const strips = groups.map((group) => ({
    name: groupName(group),
    days: data && daysOf(data.get(group.tag) ?? [], now),
    outages: outagesOf(group),
    hrefOf: ({ from, to }: Day) => groupHref(group, windowChanges({ from, to })),
  }))
  return <DaysPanel of={figures} strips={strips} />
}

const mostIds = 100

/** Selects the outages of a group; null for a group without a tag that has too many checks to name. */
function outagesOf({ tag, members }: TagGroup): OutageFilter | null {
  if (tag !== null) return { ...anyOutage, tag }
  return members.length > mostIds ? null : { ...anyOutage, checkId: members.map(({ check }) => check.id).join() }
}

function GroupLink({ group, changes }: { group: TagGroup; changes: Record<string, string | null> }) {
  return <RouteLink href={groupHref(group, changes)}>{groupName(group)}</RouteLink>
}

/** Links to the list of a group's checks. The list has no filter for checks without tags. */
function groupHref({ tag }: TagGroup, changes: Record<string, string | null>): string {
  return withChanges('/', { ...changes, tag })
}

function withChanges(path: string, changes: Record<string, string | null>): string {
  return withQuery({ path, query: new URLSearchParams() }, changes)
}

function untaggedIds(groups: readonly TagGroup[]): string[] {
  return groups.filter(({ tag }) => tag === null).flatMap(({ members }) => members.map(({ check }) => check.id).sort())
}
