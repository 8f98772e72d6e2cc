import { useMemo } from 'preact/hooks'
import { dayMs } from '../../time.ts'
import type { Maintenance } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import type { Shade } from '../chart/line.ts'
import { type TimeWindow, windowParameters } from '../state/window.ts'
import { spanText } from '../view/time.tsx'

const daysAhead = 7

/** The maintenance of a check that touches a window. */
export function useMaintenance(checkId: string, window: TimeWindow): readonly Shade[] {
  return useShades(JSON.stringify(window), checkId, () => window)
}

/** What maintenance the check is in, and which comes next within a week. */
export function MaintenanceNote({ checkId }: { readonly checkId: string }) {
  const ahead = useShades('ahead', checkId, () => ({ from: Date.now(), to: Date.now() + daysAhead * dayMs }))
  const current = ahead.filter(({ from, to }) => from <= Date.now() && to > Date.now())
  const next = ahead.find(({ from }) => from > Date.now())
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

function useShades(name: string, checkId: string, window: () => TimeWindow): readonly Shade[] {
  const { data } = useResource(`maintenance ${name}`, async (api, signal) => {
    const query = windowParameters(window()).map((pair) => pair.join('='))
    return (await api.request<Maintenance[]>({ path: `/v1/maintenance?${query.join('&')}` }, signal)).data
  })
  return useMemo(() => shadesOf(data ?? [], checkId), [data, checkId])
}

function shadesOf(all: readonly Maintenance[], checkId: string): readonly Shade[] {
  const own = all.filter(({ checkIds }) => checkIds.includes(checkId))
  return own.map(({ name, from, to }) => ({ label: name, from: Date.parse(from), to: Date.parse(to) }))
}
