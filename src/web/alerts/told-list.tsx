import { Time } from '../view/time.tsx'
import type { ToldChannel } from './alert-text.ts'

/** Each channel with what became of telling it. */
export function ToldList({ told }: { readonly told: readonly ToldChannel[] }) {
  if (told.length === 0) return <>nobody yet</>
  return (
    <ul class="told">
      {told.map((each) => (
        <li key={each.channel} class={each.state === 'told' ? '' : 'untold'}>
          <ToldText told={each} />
        </li>
      ))}
    </ul>
  )
}

function ToldText({ told: { channel, state, at, answer, nextAt } }: { readonly told: ToldChannel }) {
  if (state === 'told')
    return (
      <>
        <b>{channel}</b> {at !== null && <Time at={at} />}
      </>
    )
  if (state === 'dropped')
    return (
      <>
        <b>{channel}</b> is not told: outside of its hours
      </>
    )
  return (
    <>
      <b>{channel}</b> {state === 'givenUp' ? 'could not be told' : 'is not told yet'}
      {answer !== null && `: ${answer}`}
      {nextAt !== null && at !== null && (
        <>
          , again <Time at={nextAt} />
        </>
      )}
    </>
  )
}
