import { useEffect, useRef } from 'preact/hooks'
import { fieldId } from './form-context.ts'
import type { PlacedFault } from './placed-faults.ts'

export function FaultSummary({ faults }: { readonly faults: readonly PlacedFault[] }) {
  const summary = useRef<HTMLDivElement>(null)
  const isShown = faults.length > 0
  // The summary may be far above the button, so it takes the focus.
  useEffect(() => summary.current?.focus(), [isShown])
  if (!isShown) return null
  return (
    <div ref={summary} class="notice notice-alert fault-summary" role="alert" tabIndex={-1}>
      <strong>{faults.length === 1 ? 'There is 1 error.' : `There are ${faults.length} errors.`}</strong>
      <ul>
        {faults.map(({ at, message }, index) => (
          <li key={index}>
            {at === '' ? (
              message
            ) : (
              <a
                href={`#${fieldId(at)}`}
                onClick={(event) => {
                  event.preventDefault()
                  focusField(at)
                }}
              >
                {message}
              </a>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Also opens the folds around the field. */
function focusField(pointer: string): void {
  const element = document.getElementById(fieldId(pointer))
  for (let fold = element?.closest('details'); fold; fold = fold.parentElement?.closest('details')) fold.open = true
  element?.focus()
  element?.scrollIntoView({ block: 'center' })
}
