import { useMemo } from 'preact/hooks'
import { dayMs } from '../../time.ts'
import type { Maintenance } from '../api/answers.ts'
import { type Resource, useResource } from '../api/use-resource.ts'
import type { Shade } from '../chart/line.ts'
import { queryText, type TimeWindow, windowParameters } from '../state/window.ts'
import { spanText } from '../view/time.tsx'

const daysAhead = 7

/** Maintenance of a check that overlaps a window. */
export function useMaintenance(checkId: string, window: TimeWindow): Resource<readonly Maintenance[]> {
  return useLoaded(checkId, JSON.stringify(window), () => window)
}

export function useComingMaintenance(checkId: string): Resource<readonly Maintenance[]> {
  return useLoaded(checkId, 'coming', () => ({ from: Date.now(), to: Date.now() + daysAhead * dayMs }))
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

function useLoaded(checkId: string, name: string, window: () => TimeWindow): Resource<readonly Maintenance[]> {
  return useResource(`maintenance of ${checkId} ${name}`, async (api, signal) => {
    const path = `/v1/maintenance?${queryText([['checkId', checkId], ...windowParameters(window())])}`
    return (await api.request<Maintenance[]>({ path }, signal)).data
  })
}

/** Maintenance as shades for charts. */
export function useShades({ data }: Resource<readonly Maintenance[]>): readonly Shade[] {
  return useMemo(() => (data ?? []).map(({ name, from, to }) => ({ label: name, from: Date.parse(from), to: Date.parse(to) })), [data])
}
