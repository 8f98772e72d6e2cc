import type { FieldChange } from '../api/answers.ts'
import { changeLines } from './change-lines.ts'

export function FieldChanges({ changes }: { readonly changes: readonly FieldChange[] }) {
  return (
    <ul class="changes">
      {changeLines(changes).map(({ field, before, after }) => (
        <li key={field}>
          <b>{field}</b>
          {before !== null && before === after ? (
            <span class="note">changed; the value is secret</span>
          ) : (
            <>
              {before !== null && <del>{before}</del>}
              {after !== null && <ins>{after}</ins>}
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
