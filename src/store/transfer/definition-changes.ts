import type { Rhythm } from '../../calendar/rhythm.ts'
import { compareText } from '../../text/compare-text.ts'
import type { RecordedLifetime } from '../definitions.ts'
import { type Regime, rhythmText, withoutStart } from '../timeline/regime.ts'

/** The definition of a check from an instant on. */
export type DefinitionChange = { readonly seenAt: number; readonly fingerprint: string; readonly rhythm: Rhythm }

type RecordedDefinition = RecordedLifetime & { readonly fingerprint: string; readonly regimes: readonly Regime[] }

/** Placeholder for the fingerprints of earlier definitions: a data folder knows only that they differed. */
const earlierFingerprint = ''

/** The changes that lead to a recorded definition. Before the first regime, the newest one applies. */
export function changesOf({ fingerprint, createdAt, updatedAt, regimes }: RecordedDefinition): readonly DefinitionChange[] {
  const newest = regimes.at(-1)
  if (!newest) return []
  const instants = new Set([createdAt, updatedAt, ...regimes.map(({ from }) => from)])
  return [...instants]
    .sort((a, b) => a - b)
    .map((seenAt) => ({
      seenAt,
      fingerprint: seenAt < updatedAt ? earlierFingerprint : fingerprint,
      rhythm: withoutStart(regimes.findLast(({ from }) => from <= seenAt) ?? newest),
    }))
}

/** The changes that are not recorded yet. */
export function missingChanges(changes: readonly DefinitionChange[], recorded: readonly DefinitionChange[]): readonly DefinitionChange[] {
  const isRecorded = (change: DefinitionChange) =>
    recorded.some(
      ({ seenAt, fingerprint, rhythm }) =>
        seenAt === change.seenAt &&
        rhythmText(rhythm) === rhythmText(change.rhythm) &&
        (fingerprint === change.fingerprint || [fingerprint, change.fingerprint].includes(earlierFingerprint)),
    )
  return changes.filter((change) => !isRecorded(change))
}

export function inOrder(changes: readonly DefinitionChange[]): readonly DefinitionChange[] {
  return changes.toSorted((a, b) => a.seenAt - b.seenAt || compareText(a.fingerprint, b.fingerprint))
}
