import { useMemo, useRef } from 'preact/hooks'
import { isRecent, minuteMs } from '../../time.ts'
import type { Row } from '../api/answers.ts'
import type { Api } from '../api/client.ts'
import { type Resource, useResource, useSession } from '../api/use-resource.ts'
import { readerZone } from '../state/zone.ts'
import { dayStart, firstDay } from './days.ts'
import type { Days, FiguresByTag } from './load-figures.ts'

const freshMs = 10 * minuteMs

type Question = {
  readonly name: string
  /** Identifies the checks behind each row. */
  checks(): string
  load(api: Api, days: Days, signal: AbortSignal): Promise<FiguresByTag>
}

type Loaded = { readonly at: number; readonly key: string; readonly checks: string; readonly data: FiguresByTag }

/**
 * The last ninety days, reloaded only every few minutes because they change little. Then only today and the day before are loaded: results
 * seldom arrive later, and ninety days of many checks are a lot of work for the server.
 */
export function useDays({ name, checks, load }: Question): Resource<FiguresByTag> & { readonly now: number } {
  const { tick } = useSession()
  const now = useMemo(() => Date.now(), [tick])
  const loaded = useRef<Loaded | null>(null)
  const key = `${name} ${firstDay(now)} ${readerZone()}`
  const days = useResource(key, async (api, signal) => {
    const last = loaded.current?.key === key ? loaded.current : null
    const at = Date.now()
    if (last !== null && isRecent(last.at, freshMs, at)) return last.data
    const own = checks()
    const before = last?.checks === own ? last : null
    const from = before === null ? firstDay(now) : dayStart(Math.min(before.at, at), -1)
    const newer = await load(api, { from, to: at }, signal)
    const data = before === null ? newer : joined(before.data, newer, from)
    loaded.current = { at: Date.now(), key, checks: own, data }
    return data
  })
  return { ...days, now }
}

/** The rows before an instant, followed by the newer ones. */
function joined(before: FiguresByTag, newer: FiguresByTag, from: number): FiguresByTag {
  const older = (rows: readonly Row[] = []) => rows.filter(({ period }) => Date.parse(String(period)) < from)
  return new Map(
    [...new Set([...before.keys(), ...newer.keys()])].map((tag) => [tag, [...older(before.get(tag)), ...(newer.get(tag) ?? [])]]),
  )
}
