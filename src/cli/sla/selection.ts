import { similar } from '../../text/nearest.ts'
import { CommandFailure, unknownCheckExit } from '../context.ts'
import type { Sheet } from './sheet-schema.ts'

type Selectable = { readonly id: string; readonly tags: readonly string[] }

/** Whether a check matches every list that is not empty. */
export function matchesSelection({ tags, checks: ids }: Sheet['selection'], check: Selectable): boolean {
  return (ids.length === 0 || ids.includes(check.id)) && (tags.length === 0 || tags.some((tag) => check.tags.includes(tag)))
}

/** The checks of a selection; a tag or id that no check has is refused. */
export function selectChecks<T extends Selectable>(listed: readonly T[], selection: Sheet['selection']): readonly T[] {
  const allTags = [...new Set(listed.flatMap(({ tags }) => tags))]
  const allIds = listed.map(({ id }) => id)
  for (const tag of selection.tags) if (!allTags.includes(tag)) throw unknown(`No check has the tag ${tag}`, tag, allTags)
  for (const id of selection.checks) if (!allIds.includes(id)) throw unknown(`There is no check with the id ${id}`, id, allIds)
  const selected = listed.filter((check) => matchesSelection(selection, check))
  if (selected.length === 0) throw new CommandFailure('This selects no check.')
  return selected
}

function unknown(what: string, name: string, known: readonly string[]): CommandFailure {
  return new CommandFailure(`${what}. Nearest: ${similar(name, known).join(', ') || 'none'}.`, unknownCheckExit)
}
