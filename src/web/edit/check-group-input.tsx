import { useField, useForm } from './form-context.ts'
import { type FieldProps, Framed } from './framed.tsx'

/** Selects the managed group of a check. A deleted group can be kept. */
export function CheckGroupInput({ field, path }: FieldProps) {
  const { value, change } = useField(path)
  const { groups, group } = useForm()
  const chosen = value === undefined || value === null ? '' : String(value)
  const known = groups.some(({ id }) => String(id) === chosen)
  return (
    <Framed field={field} path={path}>
      {(attributes) => (
        <select
          {...attributes}
          value={chosen}
          onChange={({ currentTarget }) => change(currentTarget.value === '' ? undefined : Number(currentTarget.value))}
        >
          <option value="">none</option>
          {groups.map(({ id, name }) => (
            <option key={id} value={String(id)}>
              {name}
            </option>
          ))}
          {chosen !== '' && !known && <option value={chosen}>{group?.name ?? chosen}</option>}
        </select>
      )}
    </Framed>
  )
}
