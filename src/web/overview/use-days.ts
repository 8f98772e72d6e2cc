import { useMemo, useRef } from 'preact/hooks'
import { isRecent, minuteMs } from '../../time.ts'
import type { Api } from '../api/client.ts'
import { type Resource, useResource, useSession } from '../api/use-resource.ts'
import { readerZone } from '../state/zone.ts'
import { firstDay } from './days.ts'
import type { Days } from './load-figures.ts'

const freshMs = 10 * minuteMs

type Load<T> = (api: Api, days: Days, signal: AbortSignal) => Promise<T>

/** The last ninety days, reloaded only every few minutes because they change little. */
export function useDays<T>(name: string, load: Load<T>): Resource<T> & { readonly now: number } {
  const { tick } = useSession()
  const now = useMemo(() => Date.now(), [tick])
  const loaded = useRef<{ readonly at: number; readonly key: string; readonly data: T } | null>(null)
  const key = `${name} ${firstDay(now)} ${readerZone()}`
  const days = useResource(key, async (api, signal) => {
    const last = loaded.current
    if (last !== null && last.key === key && isRecent(last.at, freshMs, Date.now())) return last.data
    const data = await load(api, { from: firstDay(now), to: Date.now() }, signal)
    loaded.current = { at: Date.now(), key, data }
    return data
  })
  return { ...days, now }
}
