import { useState } from 'preact/hooks'
import { ActionProblem, useAction } from '../alerts/use-action.tsx'
import type { CheckType, TriedRun } from '../api/answers.ts'
import type { ApiRequest } from '../api/client.ts'
import { outcomeWord, runState } from '../check/runs.tsx'
import { RunParts } from '../run/run-parts.tsx'
import { Copyable } from '../share/copyable.tsx'
import { navigate } from '../state/route.tsx'
import { LabelledField, Select } from '../view/fields.tsx'
import { Skeleton } from '../view/notice.tsx'
import { StateMark } from '../view/state.tsx'
import type { Definition } from './definition.ts'

type AddressProps = {
  readonly types: readonly CheckType[]
  /** Continues with the full form. */
  onEdit(definition: Definition): void
}

/** Creates a check from just an address: guesses its type, and tries it before adding it. */
export function AddressCheck({ types, onEdit }: AddressProps) {
  const [address, setAddress] = useState('')
  const [tried, setTried] = useState<TriedRun | null>(null)
  const trial = useAction()
  const tryOut = (request: ApiRequest) =>
    trial.run(async (api, signal) => {
      setTried(null)
      setTried((await api.request<TriedRun>(request, signal)).data)
    })
  const checkType = types.find((type) => type.checkType === tried?.checkType)
  return (
    <>
      <form
        class="new-check"
        onSubmit={(event) => {
          event.preventDefault()
          void tryOut({ path: '/v1/checks/try?form=address', body: { address } })
        }}
      >
        <LabelledField label="What should be checked?">
          {(id) => (
            <input
              id={id}
              required
              maxLength={2000}
              placeholder="https://example.com"
              spellcheck={false}
              autocapitalize="off"
              value={address}
              onInput={(event) => setAddress(event.currentTarget.value)}
            />
          )}
        </LabelledField>
        <button type="submit" disabled={trial.isRunning}>
          Try it
        </button>
        <p class="note">
          A website, or an address such as <code>tcp://db.example.com:5432</code>, <code>ping://10.0.0.1</code> or{' '}
          <code>dns://example.com</code>. The server runs it once and stores nothing.
        </p>
      </form>
      <ActionProblem of={trial} />
      {trial.isRunning && <Skeleton lines={4} height={48} />}
      {tried !== null && checkType !== undefined && (
        <Tried key={tried.id} run={tried} checkType={checkType} busy={trial.isRunning} onTry={tryOut} onEdit={onEdit} />
      )}
    </>
  )
}

const rhythms = ['10s', '30s', '1m', '5m', '15m', '1h'].map((value) => ({ value, label: value }))

type TriedProps = Pick<AddressProps, 'onEdit'> & {
  readonly run: TriedRun
  readonly checkType: CheckType
  readonly busy: boolean
  onTry(request: ApiRequest): Promise<void>
}

function Tried({ run, checkType, busy, onTry, onEdit }: TriedProps) {
  const [name, setName] = useState(String(run.definition.name))
  const [frequency, setFrequency] = useState(String(run.definition.frequency))
  const saving = useAction()
  const definition = { ...run.definition, name, frequency }
  const isTried = name === run.definition.name && frequency === run.definition.frequency
  const save = () =>
    saving.run(
      (api, signal) => api.request<{ readonly id: string }>({ path: run.createAt, body: { definition } }, signal),
      ({ data }) => navigate(`/checks/${encodeURIComponent(data.id)}`),
    )
  return (
    <>
      <section class="panel" data-panel="tried">
        <header>
          <h2>{checkType.label}</h2>
          <StateMark state={runState(run)} word={outcomeWord(run)} />
        </header>
        <form
          class="new-check"
          onSubmit={(event) => {
            event.preventDefault()
            void save()
          }}
        >
          <LabelledField label="Name">
            {(id) => <input id={id} required maxLength={200} value={name} onInput={(event) => setName(event.currentTarget.value)} />}
          </LabelledField>
          <Select label="Every" value={frequency} options={rhythms} onChange={setFrequency} />
          <button type="submit" disabled={busy || saving.isRunning || name === ''}>
            Add check
          </button>
          <button type="button" class="quiet-button" onClick={() => onEdit(definition)}>
            All settings
          </button>
          {!isTried && (
            <button
              type="button"
              class="quiet-button"
              disabled={busy}
              onClick={() => onTry({ path: '/v1/checks/try?form=file', body: definition })}
            >
              Try again
            </button>
          )}
        </form>
        <ActionProblem of={saving} />
        <Copyable label="For checks: in the config file, instead" text={run.yaml} />
      </section>
      <RunParts run={run} checkType={checkType} />
    </>
  )
}
