import { useState } from 'preact/hooks'
import { ActionProblem, useAction } from '../alerts/use-action.tsx'
import { navigate } from '../state/route.tsx'
import { LabelledField } from '../view/fields.tsx'
import { plural } from '../view/figures.ts'
import { type BulkAnswer, bulkText } from './bulk-text.ts'

/** The selected checks among the shown ones; null if none can be selected. */
export type SelectedChecks = { readonly ids: ReadonlySet<string>; toggle(ids: readonly string[], isSelected: boolean): void }

/** Selects only among shown checks, so that actions never affect invisible ones. */
export function useSelection(shown: readonly string[]): { selection: SelectedChecks | null; setOpen(isOpen: boolean): void } {
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (ids: readonly string[], isSelected: boolean) =>
    setChosen((before) => new Set(isSelected ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))))
  const change = (open: boolean) => {
    setOpen(open)
    setChosen(new Set())
  }
  return { selection: isOpen ? { ids: new Set(shown.filter((id) => chosen.has(id))), toggle } : null, setOpen: change }
}

const patches = [
  { label: 'Pause', body: { activated: false } },
  { label: 'Resume', body: { activated: true } },
  { label: 'Mute', body: { muted: true } },
  { label: 'Unmute', body: { muted: false } },
]

type BarProps = { readonly selection: SelectedChecks; readonly shown: readonly string[]; nameOf(id: string): string }

export function SelectionBar({ selection, shown, nameOf }: BarProps) {
  const action = useAction()
  const [tag, setTag] = useState('')
  const [done, setDone] = useState('')
  const ids = [...selection.ids]
  const patch = (body: object) => {
    setDone('')
    void action.run(async (api, signal) => {
      const { data } = await api.request<BulkAnswer>({ method: 'PATCH', path: '/v1/checks', body: { ids, ...body } }, signal)
      setDone(bulkText(data, nameOf))
    })
  }
  const remove = () => {
    setDone('')
    void action.run(
      (api, signal) => api.request<BulkAnswer>({ path: '/v1/checks/delete', body: { ids } }, signal),
      ({ data }) => {
        setDone(bulkText(data, nameOf))
        if (data.deleted?.length === ids.length) navigate('/deleted')
      },
    )
  }
  const isIdle = ids.length > 0 && !action.isRunning
  const isAll = ids.length === shown.length
  return (
    <section class="selection" aria-label="Selected checks">
      <button type="button" class="quiet-button" onClick={() => selection.toggle(shown, !isAll)}>
        {isAll ? 'Select none' : `Select all ${shown.length}`}
      </button>
      {patches.map(({ label, body }) => (
        <button key={label} type="button" class="quiet-button" disabled={!isIdle} onClick={() => patch(body)}>
          {label}
        </button>
      ))}
      <LabelledField label="Tag">
        {(id) => <input id={id} maxLength={100} value={tag} onInput={(event) => setTag(event.currentTarget.value.trim())} />}
      </LabelledField>
      <button type="button" class="quiet-button" disabled={!isIdle || tag === ''} onClick={() => patch({ addTags: [tag] })}>
        Add tag
      </button>
      <button type="button" class="quiet-button" disabled={!isIdle || tag === ''} onClick={() => patch({ removeTags: [tag] })}>
        Remove tag
      </button>
      <button type="button" class="quiet-button" disabled={!isIdle} onClick={remove}>
        Delete
      </button>
      <span class="note" role="status">
        {done || `${plural(ids.length, 'check')} selected`}
      </span>
      <ActionProblem of={action} />
    </section>
  )
}
