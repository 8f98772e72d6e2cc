import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { CheckGroup } from '../api/answers.ts'
import { type Definition, type FieldPath, pointerOf, valueIn } from './definition.ts'
import { inheritedFrom } from './use-check-group.ts'

type FormState = {
  readonly definition: Definition
  set(path: FieldPath, value: unknown): void
  /** Fault messages by field pointer. */
  readonly faults: ReadonlyMap<string, readonly string[]>
  /** Suggested values by field name. */
  readonly suggestions: Readonly<Record<string, readonly string[]>>
  /** The managed groups to choose from. */
  readonly groups: readonly CheckGroup[]
  /** The current group of the check. */
  readonly group: CheckGroup | null
  /** Whether the server accepts code over the API. */
  readonly acceptsCode: boolean
}

export const FormContext = createContext<FormState | null>(null)

export function useForm(): FormState {
  const form = useContext(FormContext)
  if (form === null) throw new Error('A field is part of a form.')
  return form
}

/** The value at a path, its setter and its faults. */
export function useField(path: FieldPath) {
  const { definition, set, faults, group } = useForm()
  const pointer = pointerOf(path)
  const value = valueIn(definition, path)
  const [name, ...within] = path
  const isInherited = group !== null && value === undefined && within.length === 0
  return {
    value,
    /** The value inherited from the group, if the check does not set its own. */
    inherited: isInherited ? inheritedFrom(group, String(definition.type))[String(name)] : undefined,
    change: (next: unknown) => set(path, next),
    faults: faults.get(pointer) ?? [],
    id: fieldId(pointer),
  }
}

export const fieldId = (pointer: string) => `field${pointer.replace(/[^\w-]/g, '-')}`
