import { selects } from '../../catalogue/policies/policies.ts'
import { unknownName } from '../configured-check.ts'
import { CommandFailure } from '../context.ts'
import type { Sheet } from './sheet-schema.ts'

type Selectable = { readonly id: string; readonly tags: readonly string[] }

/** The checks of a selection. Fails for a tag or id that no check has. */
export function selectChecks<T extends Selectable>(listed: readonly T[], selection: Sheet['selection']): readonly T[] {
  const allTags = [...new Set(listed.flatMap(({ tags }) => tags))]
  const allIds = listed.map(({ id }) => id)
  for (const tag of selection.tags) if (!allTags.includes(tag)) throw unknownName(`No check has the tag ${tag}`, tag, allTags)
  for (const id of selection.checks) if (!allIds.includes(id)) throw unknownName(`No check with the id ${id}`, id, allIds)
  const selected = listed.filter((check) => selects(selection, check))
  if (selected.length === 0) throw new CommandFailure('No check matches.')
  return selected
}
