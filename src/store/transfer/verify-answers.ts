import { startOfDay } from '../../time.ts'
import type { CheckRef, Window } from '../store.ts'
import type { Contents, DayCount } from './contents.ts'
import { dayWindow } from './plan-copy.ts'
import { type Sample, sampleQuestions } from './sample-questions.ts'

type Sides = { readonly source: Contents; readonly destination: Contents }

/** A question that both sides answered differently. */
type UnequalAnswer = { readonly check: CheckRef; readonly window: Window; readonly question: string }
export type AnswersCompared = { readonly checks: number; readonly questions: number; readonly unequal: readonly UnequalAnswer[] }

const maxChecks = 12
const maxWindowDays = 31
const maxWindowResults = 100_000

/** Asks both sides the same questions about some of these checks, and compares the bytes of the answers. */
export async function verifyAnswers(
  sides: Sides,
  checks: readonly CheckRef[],
  advance: (checks: number) => void,
): Promise<AnswersCompared> {
  const unequal: UnequalAnswer[] = []
  let asked = 0
  let questions = 0
  for (const check of evenlySpaced(checks, maxChecks)) {
    const compared = await compareCheck(sides, check)
    unequal.push(...compared.unequal)
    questions += compared.questions
    asked += compared.questions > 0 ? 1 : 0
    advance(1)
  }
  return { checks: asked, questions, unequal }
}

/** How many checks `verifyAnswers` asks about. */
export const sampledChecks = (checks: readonly CheckRef[]) => Math.min(checks.length, maxChecks)

/** Answers are not comparable while results arrive: the check is left out. */
async function compareCheck(sides: Sides, check: CheckRef): Promise<Omit<AnswersCompared, 'checks'>> {
  const before = await countsOf(sides, check)
  const unequal: UnequalAnswer[] = []
  let questions = 0
  for (const sample of await samplesOf(sides, check, before))
    for (const { name, ask } of sampleQuestions(sample)) {
      const [own, other] = await Promise.all([ask(sides.source), ask(sides.destination)])
      questions += 1
      if (bytesOf(own) !== bytesOf(other)) unequal.push({ check, window: sample.window, question: name })
    }
  if (unequal.length === 0) return { questions, unequal }
  const isChanged = bytesOf(await countsOf(sides, check)) !== bytesOf(before)
  return isChanged ? { questions: 0, unequal: [] } : { questions, unequal }
}

type Counts = { readonly own: readonly DayCount[]; readonly others: readonly DayCount[] }

async function countsOf({ source, destination }: Sides, check: CheckRef): Promise<Counts> {
  const [[own = []], [others = []]] = await Promise.all([source.dayCounts([check]), destination.dayCounts([check])])
  return { own, others }
}

async function samplesOf({ source }: Sides, check: CheckRef, { own, others }: Counts): Promise<readonly Sample[]> {
  const existing = new Map(others.map(({ day, results }) => [day, results]))
  const level = own.filter(({ day, results }) => existing.get(day) === results)
  const isWhole = level.length === own.length && own.length === others.length
  const [history = []] = await source.definitionsOf([check])
  const rhythm = history.at(-1)?.rhythm ?? { periodMs: 60_000, locations: 1, parallel: true }
  return Promise.all(
    windowsOf(level).map(async (window) => {
      const query = { check, window, location: null, before: null, rowPage: { offset: 0, limit: 50 } }
      const [failing, newest] = [
        await source.results({ ...query, hasFailures: true }),
        await source.results({ ...query, hasFailures: null }),
      ]
      return { check, window, results: [...failing, ...newest], rhythm, isWhole }
    }),
  )
}

/** The first day, the last day, and the longest range up to the last day within the limits. */
function windowsOf(level: readonly DayCount[]): readonly Window[] {
  const [first, last] = [level[0], level.at(-1)]
  if (!first || !last) return []
  const windows = [dayWindow(first.day), dayWindow(last.day), { ...dayWindow(last.day), from: startOfDay(stretchStart(level, last.day)) }]
  return [...new Map(windows.map((window) => [`${window.from} ${window.to}`, window])).values()]
}

function stretchStart(level: readonly DayCount[], lastDay: number): number {
  let start = lastDay
  let results = 0
  for (const count of level.toReversed()) {
    results += count.results
    const isNext = count.day === start || count.day === start - 1
    if (!isNext || results > maxWindowResults || lastDay - count.day >= maxWindowDays) break
    start = count.day
  }
  return start
}

function evenlySpaced<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)] as T)
}

/** Sorts properties: equal values may have them in different orders. */
function bytesOf(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
