import { useMemo } from 'preact/hooks'
import { dayMs } from '../../time.ts'
import type { Maintenance } from '../api/answers.ts'
import { type Resource, useResource } from '../api/use-resource.ts'
import type { Shade } from '../chart/line.ts'
import { queryText, type TimeWindow, windowParameters } from '../state/window.ts'
import { spanText } from '../view/time.tsx'

const daysAhead = 7

/** Maintenance of the account that overlaps a window. */
export function useMaintenance(window: TimeWindow): Resource<readonly Maintenance[]> {
  return useLoaded(JSON.stringify(window), () => window)
}

export function useComingMaintenance(): Resource<readonly Maintenance[]> {
  return useLoaded('coming', () => ({ from: Date.now(), to: Date.now() + daysAhead * dayMs }))
}

/** Current maintenance of the check, and the next one within a week. */
export function MaintenanceNote({ coming }: { readonly coming: readonly Shade[] }) {
  const current = coming.filter(({ from, to }) => from <= Date.now() && to > Date.now())
  const next = coming.find(({ from }) => from > Date.now())
  const shown = [...current, ...(next ? [next] : [])]
  if (shown.length === 0) return null
  return (
    <span class="maintenance-note">
      {shown.map((shade) => (
        <span key={`${shade.from} ${shade.label}`}>
          {shade === next ? 'Maintenance planned' : 'In maintenance'}: {shade.label}, {spanText(shade.from, shade.to)}
        </span>
      ))}
    </span>
  )
}

function useLoaded(name: string, window: () => TimeWindow): Resource<readonly Maintenance[]> {
  return useResource(`maintenance ${name}`, async (api, signal) => {
    const path = `/v1/maintenance?${queryText(windowParameters(window()))}`
    return (await api.request<Maintenance[]>({ path }, signal)).data
  })
}

/** The maintenance of one check, as shades for charts. */
export function useShades({ data }: Resource<readonly Maintenance[]>, checkId: string): readonly Shade[] {
  return useMemo(() => shadesOf(data ?? [], checkId), [data, checkId])
}

function shadesOf(all: readonly Maintenance[], checkId: string): readonly Shade[] {
  const own = all.filter(({ checkIds }) => checkIds.includes(checkId))
  return own.map(({ name, from, to }) => ({ label: name, from: Date.parse(from), to: Date.parse(to) }))
}
