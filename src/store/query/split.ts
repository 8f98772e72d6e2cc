import type { AggregateAnswer, AggregateGroup, AggregateQuery, Source } from '../store.ts'
import { checkAnswerSize } from './answer-size.ts'
import { compareGroupKeys } from './groups.ts'
import { compareOrdered, orderedValue } from './order.ts'
import { groupReader, type PackedAnswer, unpackAnswer } from './packed-answer.ts'

/** Sources that are answered in one call to a worker: fewer would cost more calls, more would keep other workers idle. */
const sourcesPerCall = 10

/** A page that ends behind so many groups is cut by one worker: parts would send all groups before it too. */
const maxMerged = 5000

/**
 * Queries over some of the sources each, which workers can answer side by side. Only where no group spans two of them: then the groups of
 * the parts are those of the whole, and a page of the whole is among the groups up to its end of each part.
 */
export function splitBySource(query: AggregateQuery): readonly AggregateQuery[] {
  const { sources, histogram, groupPage } = query
  if (sources.length <= sourcesPerCall || !hasOwnGroups(query) || (histogram && !histogram.bounds)) return [query]
  if (groupPage && groupPage.offset + groupPage.limit > maxMerged) return [query]
  const parts: Source[][] = []
  for (let from = 0; from < sources.length; from += sourcesPerCall) parts.push(sources.slice(from, from + sourcesPerCall))
  const ownPage = groupPage && { offset: 0, limit: groupPage.offset + groupPage.limit }
  return parts.map((part) => ({ ...query, sources: part, groupPage: ownPage }))
}

/** The answer of the whole from those of its parts. Only groups that are in it are unpacked. */
export function mergeAnswers(query: AggregateQuery, answers: readonly PackedAnswer[]): AggregateAnswer {
  const [only] = answers
  if (answers.length === 1 && only) return unpackAnswer(only)
  const results = answers.reduce((sum, answer) => sum + answer.results, 0)
  return { groups: query.groupPage ? pageOfGroups(query, answers) : allGroups(query, answers), results, bounds: only?.bounds ?? [] }
}

function allGroups(query: AggregateQuery, answers: readonly PackedAnswer[]): readonly AggregateGroup[] {
  const sum = (of: (answer: PackedAnswer) => number) => answers.reduce((total, answer) => total + of(answer), 0)
  const rows = sum((answer) => answer.rows.reduce((total, count) => total + count, 0))
  const values = sum(
    (answer) => answer.values.length + (answer.counts?.length ?? 0) + (answer.histograms?.length ?? 0) * answer.bounds.length,
  )
  checkAnswerSize({ groups: sum((answer) => answer.groups.length), rows, valuesPerRow: values / Math.max(1, rows) })
  return answers.flatMap((answer) => unpackAnswer(answer).groups).sort(compareGroups(query))
}

/** Merges the groups of parts, each of which is in order, up to the end of the page. */
function pageOfGroups(query: AggregateQuery, answers: readonly PackedAnswer[]): readonly AggregateGroup[] {
  const { offset, limit } = query.groupPage ?? { offset: 0, limit: 0 }
  const compare = compareGroups(query)
  const cursors = answers.map((answer) => cursorOf(answer)).filter(({ head }) => head !== null)
  const page: AggregateGroup[] = []
  for (let taken = 0; taken < offset + limit; taken++) {
    const next = firstCursor(cursors, compare)
    if (!next?.head) break
    if (taken >= offset) page.push(next.head)
    next.advance()
  }
  return page
}

type Cursor = { head: AggregateGroup | null; readonly advance: () => void }

function cursorOf(answer: PackedAnswer): Cursor {
  const groupAt = groupReader(answer)
  let at = 0
  const read = () => (at < answer.groups.length ? groupAt(at) : null)
  const cursor: Cursor = {
    head: read(),
    advance() {
      at++
      cursor.head = read()
    },
  }
  return cursor
}

function firstCursor(cursors: readonly Cursor[], compare: CompareGroups): Cursor | null {
  let first: Cursor | null = null
  for (const cursor of cursors) if (cursor.head && (!first?.head || compare(cursor.head, first.head) < 0)) first = cursor
  return first
}

type CompareGroups = (a: AggregateGroup, b: AggregateGroup) => number

/** With buckets, an order is that of rows. */
function compareGroups({ order, buckets }: AggregateQuery): CompareGroups {
  const byKeys: CompareGroups = (a, b) => compareGroupKeys(a.keys, b.keys)
  if (!order || buckets) return byKeys
  const compare = compareOrdered(order)
  const orderedBy = ({ rows: [row] }: AggregateGroup) => (row ? orderedValue(order, row) : null)
  return (a, b) => compare(orderedBy(a), orderedBy(b)) || byKeys(a, b)
}

/** Whether some label tells every source from every other. */
function hasOwnGroups({ sources }: AggregateQuery): boolean {
  const labels = sources[0]?.labels ?? []
  return labels.some((_, i) => {
    const keys = sources.flatMap((source) => source.labels[i] ?? [])
    return keys.length === sources.length && new Set(keys).size === sources.length
  })
}
