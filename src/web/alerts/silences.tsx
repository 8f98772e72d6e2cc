import type { AlertSilence } from '../api/answers.ts'
import type { Resource } from '../api/use-resource.ts'
import { LongList } from '../view/long-list.tsx'
import { ProblemNotice } from '../view/notice.tsx'
import { instantText, Time, zoneText } from '../view/time.tsx'
import { silencedText } from './alert-text.ts'
import { ActionProblem, useAction } from './use-action.tsx'

type SilencesProps = {
  readonly of: Resource<readonly AlertSilence[]>
  readonly silences: readonly AlertSilence[]
  readonly mayOperate: boolean
}

/** Active and upcoming silences, each with its end. */
export function Silences({ of, silences, mayOperate }: SilencesProps) {
  return (
    <section class="panel" data-panel="silences">
      <header>
        <h2>Silences</h2>
        <span class="note">no notifications for these checks</span>
      </header>
      <ProblemNotice of={of} />
      {silences.length === 0 ? (
        <p>No silences.</p>
      ) : (
        <LongList items={silences}>{(silence) => <SilenceLine key={silence.id} silence={silence} mayOperate={mayOperate} />}</LongList>
      )}
    </section>
  )
}

function SilenceLine({ silence, mayOperate }: { silence: AlertSilence; mayOperate: boolean }) {
  const action = useAction()
  const { id, from, to, by, comment } = silence
  const [first, last] = [Date.parse(from), Date.parse(to)]
  const end = () => action.run((api, signal) => api.request({ method: 'DELETE', path: `/v1/silences/${id}` }, signal))
  return (
    <li>
      <span class="alert-line-text">
        <b>{silencedText(silence)}</b>{' '}
        <span class="note">
          {first > Date.now() && `from ${instantText(first)} `}until <Time at={last} /> {zoneText(last)}, by {by}
          {comment !== '' && `: ${comment}`}
        </span>
      </span>
      {mayOperate && (
        <button
          type="button"
          class="quiet-button"
          disabled={action.isRunning}
          aria-label={`End the silence of ${silencedText(silence)}`}
          onClick={end}
        >
          End
        </button>
      )}
      <ActionProblem of={action} />
    </li>
  )
}
