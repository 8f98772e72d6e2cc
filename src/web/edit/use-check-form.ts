import { useMemo, useRef, useState } from 'preact/hooks'
import { type Action, useAction } from '../alerts/use-action.tsx'
import type { CheckType, DryRun, Fault } from '../api/answers.ts'
import { type Api, Problem } from '../api/client.ts'
import { navigate } from '../state/route.tsx'
import { cleaned, type Definition, type FieldPath, isSame, pointerOf, withValue } from './definition.ts'
import { type EditedBase, storedDraft, useAskBeforeLeaving, useDrafts } from './drafts.ts'
import { type CheckForm, groupField, variablesField } from './form-model.ts'
import { isTouched, type PlacedFault, placedFaults } from './placed-faults.ts'
import { type EditableCheck, loadStored } from './stored-check.ts'
import { useAfterPause } from './use-after-pause.ts'

export type EditedCheck = {
  readonly checkType: CheckType
  readonly form: CheckForm
  /** The definition before editing, of a new or a stored check. */
  readonly initial: Definition
  readonly stored: EditableCheck | null
  /** The key under which unsaved changes are kept. */
  readonly draftKey: string
}

/** Faults of a rejected definition; `root` is the prefix of their pointers. */
type Refused = { readonly faults: readonly Fault[]; readonly root: string }

export type CheckFormState = {
  readonly definition: Definition
  /** The definition without empty parts, as it is sent. */
  readonly sent: Definition
  readonly isDirty: boolean
  /** Whether the form was opened with unsaved changes. */
  readonly wasDraft: boolean
  /** All faults, once the definition was rejected for them. */
  readonly refused: readonly PlacedFault[]
  /** Faults of changed fields, by field pointer. All faults once the definition was rejected, or if it was stored with faults. */
  readonly faults: ReadonlyMap<string, readonly string[]>
  readonly base: Definition
  /** A newer version, saved by somebody else. */
  readonly newer: EditableCheck | null
  readonly saving: Action
  set(path: FieldPath, value: unknown): void
  refuse(faults: readonly Fault[], root: string): void
  drop(): void
  save(): Promise<void>
  take(theirs: EditableCheck): void
  overwrite(theirs: EditableCheck): Promise<void>
}

/** State of the form: the edited definition, the server's feedback, and saving. */
export function useCheckForm({ checkType, form, initial, stored, draftKey }: EditedCheck): CheckFormState {
  const drafts = useDrafts()
  const fields = useMemo(() => [...form.own, ...form.common, groupField, variablesField], [form])
  // A draft keeps the version it is based on, so that saving detects a newer one.
  const [base, setBase] = useState<EditedBase>(() => drafts.get(draftKey)?.base ?? { definition: initial, tag: stored?.tag ?? null })
  const [definition, setDefinition] = useState(() => drafts.get(draftKey)?.definition ?? initial)
  const newest = useRef(definition)
  newest.current = definition
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const wasFaulty = stored !== null && stored.faults.length > 0
  const [refused, setRefused] = useState<Refused | null>(wasFaulty ? { faults: stored.faults, root: '' } : null)
  const [newer, setNewer] = useState<EditableCheck | null>(null)
  const [wasDraft, setWasDraft] = useState(drafts.has(draftKey))
  const saving = useAction()
  const sent = cleaned(definition, fields)
  const isDirty = stored === null || !isSame(sent, cleaned(base.definition, fields))
  useAskBeforeLeaving(isDirty && (touched.size > 0 || wasDraft))

  const target = targetOf(checkType, stored)
  const dryRun = useAfterPause<DryRun>(isDirty ? { ...target, path: `${target.path}?dryRun=true`, body: { definition: sent } } : null)
  const found = refused ?? { faults: (isDirty && dryRun.data?.faults) || [], root: '/definition' }
  const placed = placedFaults(found.faults, fields, definition, found.root)

  const show = (next: Definition) => {
    setDefinition(next)
    setRefused(null)
  }
  const startFrom = (next: Definition) => {
    show(next)
    setTouched(new Set())
    setWasDraft(false)
    drafts.delete(draftKey)
  }
  /** Keeps what was set while the server saved the values before. Returns how the page goes on. */
  const saved = async (id: string, api: Api, signal: AbortSignal) => {
    const path = `/checks/${encodeURIComponent(id)}`
    if (newest.current === definition) {
      if (drafts.get(draftKey)?.definition === definition) drafts.delete(draftKey)
      return () => {
        startFrom(definition)
        navigate(path)
      }
    }
    const { definition: base, tag } = await loadStored(api, id, signal)
    drafts.set(storedDraft(id), { definition: newest.current, base: { definition: base, tag } })
    return () => (stored === null ? navigate(`${path}/edit`) : setBase({ definition: base, tag }))
  }
  const save = (tag: string | null) =>
    saving.run(
      async (api, signal) => {
        setRefused(null)
        try {
          const { data } = await api.request<{ readonly id: string }>(
            { ...target, body: { definition: sent }, ifMatch: tag ?? undefined },
            signal,
          )
          return await saved(data.id, api, signal)
        } catch (fault) {
          if (!(fault instanceof Problem)) throw fault
          if (fault.status === 412 && stored !== null) setNewer(await loadStored(api, stored.id, signal))
          else if (fault.faults.length > 0) setRefused({ faults: fault.faults, root: '/definition' })
          else throw fault
          return () => {}
        }
      },
      (goOn) => goOn(),
    )
  const accept = (theirs: EditableCheck) => {
    setBase({ definition: theirs.definition, tag: theirs.tag })
    setNewer(null)
  }

  return {
    definition,
    sent,
    isDirty,
    wasDraft,
    refused: refused === null ? [] : placed,
    faults: messagesOf(placed.filter(({ at }) => refused !== null || wasFaulty || isTouched(at, touched))),
    base: base.definition,
    newer,
    saving,
    set(path, value) {
      const next = withValue(definition, path, value)
      setTouched(new Set([...touched, pointerOf(path)]))
      show(next)
      drafts.set(draftKey, { definition: next, base })
    },
    refuse: (faults, root) => setRefused({ faults, root }),
    drop: () => startFrom(base.definition),
    save: () => save(base.tag),
    take(theirs) {
      accept(theirs)
      startFrom(theirs.definition)
    },
    overwrite(theirs) {
      accept(theirs)
      return save(theirs.tag)
    },
  }
}

function targetOf({ createAt }: CheckType, stored: EditableCheck | null) {
  return stored === null ? { path: createAt } : { path: `/v1/checks/${encodeURIComponent(stored.id)}`, method: 'PUT' as const }
}

function messagesOf(faults: readonly PlacedFault[]): ReadonlyMap<string, readonly string[]> {
  const messages = new Map<string, readonly string[]>()
  for (const { at, message } of faults) messages.set(at, [...(messages.get(at) ?? []), message])
  return messages
}
