import type { CheckType } from '../api/answers.ts'
import { bucketLabel, possibleBuckets } from '../state/bucket-choice.ts'
import { navigate, type Route, withQuery } from '../state/route.tsx'
import { defaultWindow, endsOf, windowChanges } from '../state/window.ts'
import { unzoom, windowName, zoomedFrom } from '../state/zoom.ts'
import { Select } from '../view/fields.tsx'
import { WindowPicker } from '../view/window-picker.tsx'
import { wordsOf } from '../view/words.ts'
import { aggregationChoices, band, type CheckViewState, plainMetrics } from './check-options.ts'

type ToolbarProps = { readonly route: Route; readonly checkType: CheckType; readonly state: CheckViewState }

/** The options of the view. Each change is a new URL. */
export function Toolbar({ route, checkType, state }: ToolbarProps) {
  const set = (name: string) => (value: string) => navigate(withQuery(route, { [name]: value, page: null }))
  const buckets = possibleBuckets(endsOf(state.window, Date.now()))
  return (
    <div class="toolbar">
      <WindowPicker route={route} />
      <Select label="Metric" value={state.metric.name} options={metricOptions(checkType)} onChange={set('metric')} />
      {state.aggregation !== null && (
        <Select
          label="Aggregation"
          value={state.aggregation}
          options={aggregationOptions(state)}
          onChange={(value) => set('aggregation')(value === band ? '' : value)}
        />
      )}
      {checkType.groupBy.length > 0 && (
        <Select label="Group by" value={state.groupBy ?? ''} options={groupOptions(checkType)} onChange={set('groupBy')} />
      )}
      <Select label="Status" value={state.status ?? ''} options={statusOptions(checkType)} onChange={set('filterByStatus')} />
      <Select
        label="Interval"
        value={state.chosenBucket === null ? '' : String(state.chosenBucket)}
        options={[
          { value: '', label: `Auto (${bucketLabel(state.bucket)})` },
          ...buckets.map((width) => ({ value: String(width), label: bucketLabel(width) })),
        ]}
        onChange={set('aggregationInterval')}
      />
      <Select label="Compare with" value={state.compare ?? ''} options={compareOptions} onChange={set('compare')} />
      {!('preset' in state.window) && <BackButton route={route} />}
    </div>
  )
}

/** Returns to the window before a zoom, else to the default window. */
function BackButton({ route }: { route: Route }) {
  const before = zoomedFrom(route)
  const back = () => (before === null ? navigate(withQuery(route, windowChanges(defaultWindow))) : unzoom(route))
  return (
    <button type="button" onClick={back}>
      Back to {windowName(before ?? defaultWindow)}
    </button>
  )
}

function metricOptions(checkType: CheckType) {
  return [...checkType.metrics, ...plainMetrics].map(({ name, label }) => ({ value: name, label }))
}

const compareOptions = [
  { value: '', label: 'Nothing' },
  { value: 'previousPeriod', label: 'Period before' },
  { value: 'sameWeekdays', label: 'Same weekdays before' },
]

function aggregationOptions({ groupBy }: CheckViewState) {
  const together = groupBy === null ? [{ value: band, label: 'p50 to p99' }] : []
  return [...together, ...aggregationChoices.map((name) => ({ value: name, label: name }))]
}

function groupOptions({ groupBy }: CheckType) {
  const label = (name: string, by: string) => (by === 'location' ? 'Location' : by === 'page' ? 'Page' : wordsOf(name))
  return [{ value: '', label: 'Nothing' }, ...groupBy.map(({ name, by }) => ({ value: name, label: label(name, by) }))]
}

function statusOptions({ filterByStatus }: CheckType) {
  return [{ value: '', label: 'All runs' }, ...filterByStatus.map((name) => ({ value: name, label: wordsOf(name.toLowerCase()) }))]
}
