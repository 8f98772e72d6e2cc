import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { quickRanges } from '../../analytics/resolve-window.ts'
import { badgeSnippets } from '../../badges/snippets.ts'
import { badgeThemes, styles } from '../../badges/themes.ts'
import type { Check, CheckType } from '../api/answers.ts'
import { useCheck } from '../api/use-check.ts'
import { firstProblem, type Resource, useResource, useSession, useWatch } from '../api/use-resource.ts'
import { Copyable } from '../share/copyable.tsx'
import { curl } from '../share/recipes.ts'
import { serverUrl } from '../state/base-path.ts'
import { navigate, type Route, RouteLink, upTo, withQuery } from '../state/route.tsx'
import { presets } from '../state/window.ts'
import { Choice, LabelledField, Select } from '../view/fields.tsx'
import { ProblemNotice, Skeleton } from '../view/notice.tsx'
import { useTitle } from '../view/use-title.ts'
import { type BadgeState, badgeMetrics, badgePath, badgeState } from './badge-options.ts'

type BadgeViewProps = { readonly id: string; readonly route: Route; readonly types: Resource<readonly CheckType[]> }

export function BadgeView({ id, route, types }: BadgeViewProps) {
  const check = useCheck(id)
  const checkType = types.data?.find((type) => type.checkType === check.data?.checkType)
  const failed = firstProblem(check, types)
  if (failed !== null) return <ProblemNotice whole of={failed} />
  if (check.data === undefined || checkType === undefined) return <Skeleton lines={4} height={64} />
  return <Builder check={check.data} checkType={checkType} route={route} />
}

function Builder({ check, checkType, route }: { check: Check; checkType: CheckType; route: Route }) {
  useTitle('Badge', check.name)
  useWatch([check.id])
  const { api } = useSession()
  const state = badgeState(route)
  const path = badgePath(check.id, state)
  const checkPath = `/checks/${check.id}`
  const link = serverUrl() + checkPath
  const { markdown, html } = badgeSnippets({ url: serverUrl() + path, alt: check.name, link })
  return (
    <>
      <div class="view-head">
        <nav aria-label="Up">
          <RouteLink href={upTo('/', route, new URLSearchParams(route.above[checkPath]))}>Checks</RouteLink>{' '}
          <span aria-hidden="true">/</span> <RouteLink href={upTo(checkPath, route)}>{check.name}</RouteLink>
        </nav>
        <h1>Badge</h1>
      </div>
      <div class="badge-builder">
        <Options state={state} checkType={checkType} route={route} />
        <div>
          <Preview path={path} />
          <Copyable label="Markdown" text={markdown} />
          <Copyable label="HTML, for light and dark themes" text={html} />
          <Copyable label="curl" text={curl([{ path }], { origin: serverUrl(), account: api.credentials.account })} />
          <p class="note">
            An image in a README sends no key: set <code>publicBadges: true</code> for the account in the config file.
          </p>
        </div>
      </div>
    </>
  )
}

function Options({ state, checkType, route }: { state: BadgeState; checkType: CheckType; route: Route }) {
  const set = (changes: Record<string, string | null>) => navigate(withQuery(route, changes), 'replace')
  const shows = [
    { value: 'state', label: 'state' },
    ...(checkType.duration === null ? [] : [{ value: 'responseTime', label: 'state and response time' }]),
    { value: 'metric', label: 'a metric' },
  ]
  const show = (value: string) =>
    set({ responseTime: value === 'responseTime' ? 'true' : null, metric: value === 'metric' ? 'availability' : null, range: null })
  return (
    <form class="badge-options" onSubmit={(event) => event.preventDefault()}>
      <Labelled words="Style">
        <Choice label="Style" value={state.style} options={options(styles)} onChange={(style) => set({ style })} />
      </Labelled>
      <Labelled words="Theme">
        <Choice label="Theme" value={state.theme} options={options(badgeThemes)} onChange={(theme) => set({ theme })} />
      </Labelled>
      <Labelled words="Shows">
        <Choice label="Shows" value={state.shows} options={shows} onChange={show} />
      </Labelled>
      {state.shows === 'metric' && (
        <>
          <Select label="Metric" value={state.metric} options={badgeMetrics(checkType)} onChange={(metric) => set({ metric })} />
          <Select label="Window" value={state.range} options={ranges} onChange={(range) => set({ range })} />
        </>
      )}
      <LabelledField label="Label instead of the name">
        {(id) => <input id={id} value={state.label} maxLength={60} onInput={(event) => set({ label: event.currentTarget.value })} />}
      </LabelledField>
    </form>
  )
}

const ranges = quickRanges.map((value) => ({ value, label: presets[value] }))

function options(values: readonly string[]) {
  return values.map((value) => ({ value, label: value }))
}

function Labelled({ words, children }: { words: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <span class="field-label" aria-hidden="true">
        {words}
      </span>
      {children}
    </div>
  )
}

/** The badge as the API renders it, on a light and a dark background. */
function Preview({ path }: { path: string }) {
  const picture = useResource(path, (api, signal) => api.file(path, 'image/svg+xml', signal))
  const address = useAddress(picture.data)
  if (picture.problem !== undefined) return <ProblemNotice of={picture} />
  return (
    <div class="badge-preview">
      {(['light', 'dark'] as const).map((scheme) => (
        <div key={scheme} class={`on-${scheme}`}>
          {address !== null && <img src={address} alt={`The badge on a ${scheme} background`} />}
        </div>
      ))}
    </div>
  )
}

function useAddress(blob: Blob | undefined): string | null {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    if (blob === undefined) return
    const made = URL.createObjectURL(blob)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return address
}
