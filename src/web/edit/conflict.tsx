import { ScrollingTable } from '../view/scrolling-table.tsx'
import { type Definition, differences } from './definition.ts'
import type { EditableCheck } from './stored-check.ts'

type ConflictProps = {
  /** The definition before editing. */
  readonly base: Definition
  readonly newer: EditableCheck
  onTake(): void
  onOverwrite(): void
}

/** Shown if somebody else saved the check in the meantime. */
export function ConflictNotice({ base, newer, onTake, onOverwrite }: ConflictProps) {
  const changes = differences(base, newer.definition)
  return (
    <div class="notice notice-alert" role="alert">
      <strong>Someone saved this check after you opened it. Your changes are not saved.</strong>
      {changes.length > 0 && (
        <ScrollingTable label="Changes by someone else" heads={['Field', 'Before', 'Now']} numbers={[]}>
          {changes.map(({ pointer, before, after }) => (
            <tr key={pointer}>
              <th scope="row">{pointer.slice(1).replaceAll('/', ' / ')}</th>
              <td class="evidence-text">{shown(before)}</td>
              <td class="evidence-text">{shown(after)}</td>
            </tr>
          ))}
        </ScrollingTable>
      )}
      <p class="form-buttons">
        <button type="button" onClick={onTake}>
          Discard mine, show the newer one
        </button>
        <button type="button" class="quiet-button" onClick={onOverwrite}>
          Overwrite with mine
        </button>
      </p>
    </div>
  )
}

const shown = (value: unknown) => (value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value))
