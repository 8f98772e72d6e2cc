import { useState } from 'preact/hooks'
import type { Alert } from '../api/answers.ts'
import { LabelledField } from '../view/fields.tsx'
import { plural } from '../view/figures.ts'
import { fieldInstant, LocalTimeField } from '../view/local-time-field.tsx'
import { checksOf } from './alert-text.ts'
import { silenceChecks } from './silence-checks.ts'
import { ActionProblem, useAction } from './use-action.tsx'

const spans = [
  { label: '1 h', duration: '1h' },
  { label: '4 h', duration: '4h' },
  { label: '1 day', duration: '1d' },
]

export function AlertActions({ alert }: { readonly alert: Alert }) {
  const action = useAction()
  const acknowledge = () => action.run((api, signal) => api.request({ method: 'POST', path: `/v1/alerts/${alert.id}/acknowledge` }, signal))
  return (
    <div class="alert-actions">
      {alert.acknowledged === null && alert.closedAt === null && (
        <button type="button" disabled={action.isRunning} onClick={acknowledge}>
          Acknowledge
        </button>
      )}
      {checksOf(alert).length > 0 && <SilenceMenu alert={alert} />}
      <ActionProblem of={action} />
    </div>
  )
}

function SilenceMenu({ alert }: { alert: Alert }) {
  const action = useAction()
  const [done, setDone] = useState('')
  const silence = (times: { duration: string } | { to: string }) => {
    setDone('')
    void action.run(async (api, signal) => {
      setDone(`${plural(await silenceChecks(api, alert, times, signal), 'check')} silenced.`)
    })
  }
  return (
    <details class="silence-menu">
      <summary class="quiet-button">Silence …</summary>
      <div class="silence-choices">
        {spans.map(({ label, duration }) => (
          <button key={duration} type="button" disabled={action.isRunning} onClick={() => silence({ duration })}>
            {label}
          </button>
        ))}
        <Until disabled={action.isRunning} onPick={(to) => silence({ to })} />
        <span class="note" role="status">
          {done}
        </span>
        <ActionProblem of={action} />
      </div>
    </details>
  )
}

function Until({ disabled, onPick }: { disabled: boolean; onPick(to: string): void }) {
  const [text, setText] = useState('')
  const at = fieldInstant(text)
  const submit = (event: Event) => {
    event.preventDefault()
    if (Number.isFinite(at)) onPick(new Date(at).toISOString())
  }
  return (
    <form class="silence-until" onSubmit={submit}>
      <LabelledField label="until">{(id) => <LocalTimeField id={id} value={text} onChange={setText} />}</LabelledField>
      <button type="submit" disabled={disabled || !(at > Date.now())} title={at > Date.now() ? '' : 'Choose a time in the future.'}>
        Silence
      </button>
    </form>
  )
}
