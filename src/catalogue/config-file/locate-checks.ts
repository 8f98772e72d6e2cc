import type { CheckType } from '../../checks/define.ts'
import type { Env } from '../../config.ts'
import { knownChecks, mappings } from '../policies/account-policies.ts'
import { openConfigFolder } from './config-folder.ts'
import { readSource } from './source.ts'

/** Where a check is defined. `file` is null for the config file itself, `line` if it is unknown. */
export type PlacedCheck = { readonly account: string; readonly id: string; readonly file: string | null; readonly line: number | null }

/** The places of all checks of a config file and its included files. */
export function locateChecks(text: string, env: Env, folder: string, checkTypes?: readonly CheckType[]): readonly PlacedCheck[] {
  const { value, locate } = readSource(text, env, { folder: openConfigFolder(folder), checkTypes })
  return mappings(value, 'accounts', []).flatMap(({ entry, path }) => {
    const places = mappings(entry, 'checks', path)
    return knownChecks(entry, []).flatMap(({ id }, index) => {
      const place = places[index]
      if (!place) return []
      const { file, line } = locate({ path: place.path, at: 'value', text: '' })
      return [{ account: String(entry.id), id, file: file ?? null, line }]
    })
  })
}
