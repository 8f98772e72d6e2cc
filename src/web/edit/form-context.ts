import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type Definition, type FieldPath, pointerOf, valueIn } from './definition.ts'

type FormState = {
  readonly definition: Definition
  set(path: FieldPath, value: unknown): void
  /** What is wrong, by the pointers of fields. */
  readonly faults: ReadonlyMap<string, readonly string[]>
  /** What there is to choose from, by the names of fields. */
  readonly suggestions: Readonly<Record<string, readonly string[]>>
  /** Whether the server accepts code over the API. */
  readonly acceptsCode: boolean
}

export const FormContext = createContext<FormState | null>(null)

export function useForm(): FormState {
  const form = useContext(FormContext)
  if (form === null) throw new Error('A field is part of a form.')
  return form
}

/** The value at a path, how to change it, and what is wrong with it. */
export function useField(path: FieldPath) {
  const { definition, set, faults } = useForm()
  const pointer = pointerOf(path)
  return {
    value: valueIn(definition, path),
    change: (next: unknown) => set(path, next),
    faults: faults.get(pointer) ?? [],
    id: fieldId(pointer),
  }
}

export const fieldId = (pointer: string) => `field${pointer.replace(/[^\w-]/g, '-')}`
