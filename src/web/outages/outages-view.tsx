import { useMemo } from 'preact/hooks'
import type { Check, CheckStatus, CheckType } from '../api/answers.ts'
import { type Resource, useSession } from '../api/use-resource.ts'
import { useChecks } from '../checks/use-checks.ts'
import { navigate, type Route, withQuery } from '../state/route.tsx'
import { windowOf } from '../state/window.ts'
import { Select } from '../view/fields.tsx'
import { ProblemNotice, Skeleton } from '../view/notice.tsx'
import { useTitle } from '../view/use-title.ts'
import { WindowPicker } from '../view/window-picker.tsx'
import { type OutageFilter, outageFilter } from './outage-query.ts'
import { OutagesPanel } from './outages-panel.tsx'

const firstShown = 50

type OutagesViewProps = { readonly route: Route; readonly types: Resource<readonly CheckType[]> }

export function OutagesView({ route, types }: OutagesViewProps) {
  useTitle('Outages')
  const checks = useChecks()
  const { tick, states, changes, problem } = useSession()
  const now = useMemo(() => Date.now(), [tick])
  const filter = outageFilter(route)
  if (states === undefined && problem === undefined) return <Skeleton lines={6} height={40} />
  if (checks.data === undefined)
    return checks.problem === undefined ? <Skeleton lines={6} height={40} /> : <ProblemNotice whole of={checks} />
  return (
    <>
      <div class="view-head">
        <h1>Outages</h1>
      </div>
      <OutageFilters route={route} filter={filter} checks={checks.data} types={types.data ?? []} />
      <ProblemNotice of={checks} />
      <OutagesPanel
        filter={filter}
        window={windowOf(route)}
        check={null}
        name="all"
        first={firstShown}
        none="No outages in this window."
        now={now}
        revision={`${changes} ${failingText(states)}`}
      />
    </>
  )
}

/** A key that changes when an outage begins or ends. Reloading outages after every result would be too expensive. */
function failingText(states: ReadonlyMap<string, CheckStatus> | undefined): string {
  const failing = [...(states?.values() ?? [])].filter(({ state }) => state === 'failing')
  return failing.map(({ checkId, failingSince }) => `${checkId} ${failingSince}`).join()
}

type FiltersProps = { route: Route; filter: OutageFilter; checks: readonly Check[]; types: readonly CheckType[] }

function OutageFilters({ route, filter, checks, types }: FiltersProps) {
  const field = (label: string, name: keyof OutageFilter, options: readonly Option[]) =>
    (options.length > 1 || filter[name] !== null) && (
      <Select
        label={label}
        value={filter[name] ?? ''}
        options={[any, ...options]}
        onChange={(value) => navigate(withQuery(route, { [name]: value }))}
      />
    )
  const used = new Set(checks.map(({ checkType }) => checkType))
  const labels = types.filter(({ checkType }) => used.has(checkType)).map(({ checkType, label }) => ({ value: checkType, label }))
  const names = checks.map(({ id, name }) => ({ value: id, label: name })).sort((a, b) => a.label.localeCompare(b.label))
  return (
    <search class="toolbar filters">
      <WindowPicker route={route} />
      {field('State', 'state', states)}
      {field('Check', 'checkId', names)}
      {field('Type', 'checkType', labels)}
      {field('Tag', 'tag', optionsOf(checks.flatMap(({ tags }) => tags)))}
      {field('Location', 'location', optionsOf(checks.flatMap(({ locations }) => locations)))}
    </search>
  )
}

type Option = { readonly value: string; readonly label: string }

const any: Option = { value: '', label: 'Any' }
const states: readonly Option[] = [
  { value: 'open', label: 'Open' },
  { value: 'over', label: 'Over' },
]

function optionsOf(values: readonly string[]): readonly Option[] {
  return [...new Set(values)].sort().map((value) => ({ value, label: value }))
}
