import type { Rhythm } from '../../../calendar/rhythm.ts'
import { grouped } from '../../../collections/lists.ts'
import { checkKey } from '../../../ids/check-ref.ts'
import { compareText } from '../../../text/compare-text.ts'
import type { DefinitionRef, RecordedLifetime } from '../../definitions.ts'
import type { CheckRef, QuestionOptions } from '../../store.ts'
import { type Regime, rhythmText } from '../../timeline/regime.ts'
import type { Connection } from '../connection.ts'
import { createRowWriter } from '../row-binary.ts'
import { amongChecks, inBatches } from './among-checks.ts'

type Definition = {
  readonly account: string
  readonly checkId: string
  readonly seenAt: number
  readonly fingerprint: string
  readonly rhythm: string
}

/** Records when checks changed, and reads their regimes. */
export function createDefinitions(connection: Connection) {
  async function recorded(checks: readonly CheckRef[], options?: QuestionOptions): Promise<ReadonlyMap<string, readonly Definition[]>> {
    const found = await inBatches(checks, async (some) => {
      const { sql: among, params } = amongChecks(some)
      const sql = `SELECT account, checkId, seenAt, fingerprint, rhythm FROM definitions WHERE ${among} ORDER BY seenAt, fingerprint`
      return connection.rows({ sql, params }, options?.signal)
    })
    const all = found.map(([account, checkId, seenAt, fingerprint, rhythm]): Definition => {
      return {
        account: String(account),
        checkId: String(checkId),
        seenAt: Number(seenAt),
        fingerprint: String(fingerprint),
        rhythm: String(rhythm),
      }
    })
    return grouped(all, checkKey)
  }

  async function insert(definitions: readonly Definition[]): Promise<void> {
    if (definitions.length === 0) return
    const rows = createRowWriter()
    for (const { account, checkId, seenAt, fingerprint, rhythm } of definitions) {
      rows.text(account)
      rows.text(checkId)
      rows.int64(seenAt)
      rows.text(fingerprint)
      rows.text(rhythm)
    }
    await connection.insert('definitions (account, checkId, seenAt, fingerprint, rhythm)', rows.written())
  }

  return {
    async recordDefinitions(checks: readonly DefinitionRef[], now: number): Promise<readonly RecordedLifetime[]> {
      const before = await recorded(checks)
      const added = checks.flatMap((check): Definition[] => {
        const { account, checkId, fingerprint } = check
        const last = before.get(checkKey(check))?.at(-1)
        const rhythm = rhythmText(check.rhythm)
        if (last?.fingerprint === fingerprint && last.rhythm === rhythm) return []
        return [{ account, checkId, seenAt: Math.max(Math.floor(now), last ? firstAfter(last, fingerprint) : 0), fingerprint, rhythm }]
      })
      await insert(added)
      const after = grouped([...[...before.values()].flat(), ...added], checkKey)
      return checks.map((check) => lifetimeOf(after.get(checkKey(check)) ?? [], now))
    },
    async regimesOf(checks: readonly CheckRef[], options?: QuestionOptions): Promise<readonly (readonly Regime[])[]> {
      const definitions = await recorded(checks, options)
      return checks.map((check) => regimesIn(definitions.get(checkKey(check)) ?? []))
    },
  }
}

/** The first instant that is behind the last change in their order, even if the clock was set back or another process's is ahead. */
function firstAfter(last: Definition, fingerprint: string): number {
  return compareText(last.fingerprint, fingerprint) < 0 ? last.seenAt : last.seenAt + 1
}

function lifetimeOf(definitions: readonly Definition[], now: number): RecordedLifetime {
  const [first] = definitions
  const last = definitions.at(-1)
  if (!first || !last) return { createdAt: now, updatedAt: now }
  const before = definitions.findLastIndex(({ fingerprint }) => fingerprint !== last.fingerprint)
  return { createdAt: first.seenAt, updatedAt: definitions[before + 1]?.seenAt ?? last.seenAt }
}

/** Of definitions seen at the same instant, the last counts. */
function regimesIn(definitions: readonly Definition[]): readonly Regime[] {
  const changed = definitions.filter(({ rhythm }, i) => rhythm !== definitions[i - 1]?.rhythm)
  const bySince = new Map(changed.map(({ seenAt, rhythm }) => [seenAt, { from: seenAt, ...(JSON.parse(rhythm) as Rhythm) }]))
  return [...bySince.values()]
}
