import type { Check, CheckStatus, State } from '../api/answers.ts'

/** The worst first. */
export const states: readonly State[] = ['failing', 'degraded', 'passing', 'unknown', 'paused']

/** The state from the API, which badges show too. Falls back if the status could not be loaded. */
export function stateOf(check: Check, status: Pick<CheckStatus, 'state'> | undefined): State {
  return status?.state ?? (check.activated ? 'unknown' : 'paused')
}

const shapes: Readonly<Record<State, string>> = {
  passing: 'M3.5 8.3 6.7 11.5 12.5 4.8',
  failing: 'M4.5 4.5 11.5 11.5 M11.5 4.5 4.5 11.5',
  degraded: 'M3 10.5 6 6.5 10 9.5 13 5.5',
  paused: 'M6 4.5V11.5 M10 4.5V11.5',
  unknown: 'M5.8 6a2.3 2.3 0 1 1 3.2 2.1c-.7.3-1 .7-1 1.5 M8 12v.1',
}

type MarkProps = { readonly state: State; readonly word?: string; readonly words?: boolean }

/** Shows the state by shape and word in addition to colour. */
export function StateMark({ state, word = state, words = true }: MarkProps) {
  return (
    <span class={`state state-${state}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={shapes[state]} />
      </svg>
      <span class={words ? '' : 'unseen'}>{word}</span>
    </span>
  )
}
