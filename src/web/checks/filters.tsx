import type { Check } from '../api/answers.ts'
import { navigate, type Route, withQuery } from '../state/route.tsx'
import { LabelledField, Select } from '../view/fields.tsx'
import { states } from '../view/state.tsx'
import { WindowPicker } from '../view/window-picker.tsx'
import { wordsOf } from '../view/words.ts'
import { type ListState, soonDays } from './list-options.ts'

type FiltersProps = {
  readonly route: Route
  readonly state: ListState
  readonly checks: readonly Check[]
  readonly labels: ReadonlyMap<string, string>
  readonly hasCertificates: boolean
}

export function Filters({ route, state, checks, labels, hasCertificates }: FiltersProps) {
  const set = (name: string) => (value: string) => navigate(withQuery(route, { [name]: value, page: null }))
  const types = distinct(checks.map(({ checkType }) => checkType)).map((value) => ({ value, label: labels.get(value) ?? value }))
  const tags = distinct(checks.flatMap(({ tags }) => tags)).map(asOption)
  const locations = distinct(checks.flatMap(({ locations }) => locations)).map(asOption)
  return (
    <search class="toolbar filters">
      <Search route={route} value={state.search} />
      <Select
        label="State"
        value={state.status}
        options={[any, ...states.map((value) => ({ value, label: wordsOf(value) }))]}
        onChange={set('status')}
      />
      <Select label="Type" value={state.checkType} options={[any, ...types]} onChange={set('checkType')} />
      {tags.length > 0 && <Select label="Tag" value={state.tag} options={[any, ...tags]} onChange={set('tag')} />}
      {locations.length > 1 && <Select label="Location" value={state.location} options={[any, ...locations]} onChange={set('location')} />}
      {(hasCertificates || state.expiresWithin !== null) && (
        <Select
          label="Certificate"
          value={state.expiresWithin === null ? '' : String(state.expiresWithin)}
          options={[any, { value: String(soonDays), label: `Expires within ${soonDays} days` }]}
          onChange={set('certificate')}
        />
      )}
      <WindowPicker route={route} />
    </search>
  )
}

const any = { value: '', label: 'Any' }
const asOption = (value: string) => ({ value, label: value })

function Search({ route, value }: { route: Route; value: string }) {
  return (
    <LabelledField label="Search">
      {(id) => (
        <input
          id={id}
          type="search"
          class="search"
          placeholder="Name, tag or host"
          value={value}
          onInput={(event) => navigate(withQuery(route, { search: event.currentTarget.value, page: null }), 'replace')}
        />
      )}
    </LabelledField>
  )
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].sort()
}
