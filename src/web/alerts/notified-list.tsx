import { Time } from '../view/time.tsx'
import type { NotifiedChannel } from './alert-text.ts'

export function NotifiedList({ notified }: { readonly notified: readonly NotifiedChannel[] }) {
  if (notified.length === 0) return <>no one yet</>
  return (
    <ul class="notified">
      {notified.map((each) => (
        <li key={each.channel} class={each.state === 'notified' ? '' : 'unnotified'}>
          <NotifiedText notified={each} />
        </li>
      ))}
    </ul>
  )
}

function NotifiedText({ notified: { channel, state, at, answer, nextAt } }: { readonly notified: NotifiedChannel }) {
  if (state === 'notified')
    return (
      <>
        <b>{channel}</b> {at !== null && <Time at={at} />}
      </>
    )
  if (state === 'dropped')
    return (
      <>
        <b>{channel}</b> not notified: outside its hours
      </>
    )
  return (
    <>
      <b>{channel}</b> {state === 'givenUp' ? 'could not be notified' : 'is not notified yet'}
      {answer !== null && `: ${answer}`}
      {nextAt !== null && at !== null && (
        <>
          , again <Time at={nextAt} />
        </>
      )}
    </>
  )
}
