import { useState } from 'preact/hooks'
import type { CheckType } from '../api/answers.ts'
import { firstProblem, type Resource } from '../api/use-resource.ts'
import { navigate, type Route, RouteLink } from '../state/route.tsx'
import { Select } from '../view/fields.tsx'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { useTitle } from '../view/use-title.ts'
import { AddressCheck } from './address-check.tsx'
import { CheckFormView } from './check-form.tsx'
import type { Definition } from './definition.ts'
import { useDrafts } from './drafts.ts'
import { type CheckForm, formOf } from './form-model.ts'
import { useStored } from './stored-check.ts'
import { useEditorSchema } from './use-editor-schema.ts'
import { WriteOnly } from './write-only.tsx'

type NewViewProps = { readonly route: Route; readonly types: Resource<readonly CheckType[]> }

/** A new check: from an address, of a chosen type, or as a copy of another. */
export function NewCheckView({ route, types }: NewViewProps) {
  useTitle('New check')
  const type = route.query.get('type')
  const copied = route.query.get('copy')
  const failed = firstProblem(types)
  if (failed !== null) return <ProblemNotice whole of={failed} />
  if (types.data === undefined) return <Skeleton lines={6} height={72} />
  return (
    <>
      <div class="view-head">
        <nav aria-label="Up">
          <RouteLink href="/">Checks</RouteLink>
          {(type ?? copied) !== null && (
            <>
              {' '}
              <span aria-hidden="true">/</span> <RouteLink href="/new">New check</RouteLink>
            </>
          )}
        </nav>
        <h1>{copied === null ? 'New check' : 'Copy of a check'}</h1>
        {type !== null && <span class="note">{types.data.find(({ checkType }) => checkType === type)?.label}</span>}
      </div>
      <WriteOnly>
        {copied !== null ? (
          <CopiedCheck key={copied} id={copied} types={types.data} />
        ) : type !== null ? (
          <OfType key={type} type={type} types={types.data} initial={null} draftKey={newDraft(type)} />
        ) : (
          <Start types={types.data} />
        )}
      </WriteOnly>
    </>
  )
}

const newDraft = (type: string) => `new ${type}`

function Start({ types }: { readonly types: readonly CheckType[] }) {
  const drafts = useDrafts()
  const [chosen, setChosen] = useState(types[0]?.checkType ?? '')
  const edit = (definition: Definition) => {
    drafts.set(newDraft(String(definition.type)), { definition })
    navigate(`/new?type=${encodeURIComponent(String(definition.type))}`)
  }
  return (
    <>
      <AddressCheck types={types} onEdit={edit} />
      <h2>Or set everything in a form</h2>
      <div class="new-check">
        <Select
          label="Type of check"
          value={chosen}
          options={types.map(({ checkType, label }) => ({ value: checkType, label }))}
          onChange={setChosen}
        />
        <button type="button" onClick={() => navigate(`/new?type=${encodeURIComponent(chosen)}`)}>
          Open form
        </button>
      </div>
    </>
  )
}

function CopiedCheck({ id, types }: { readonly id: string; readonly types: readonly CheckType[] }) {
  const stored = useStored(id)
  if (stored.data === undefined) return stored.problem === undefined ? <Skeleton lines={6} height={72} /> : <ProblemNotice of={stored} />
  const { id: _, name, ...rest } = stored.data.definition
  return (
    <>
      <p class="note">
        Secrets are not copied. Enter references such as <code>{'$' + '{TOKEN}'}</code> again, or allow them for managed checks.
      </p>
      <OfType type={String(rest.type)} types={types} initial={{ name: `${name} (copy)`, ...rest }} draftKey={`copy ${id}`} />
    </>
  )
}

type OfTypeProps = {
  readonly type: string
  readonly types: readonly CheckType[]
  readonly initial: Definition | null
  readonly draftKey: string
}

function OfType({ type, types, initial, draftKey }: OfTypeProps) {
  const schema = useEditorSchema()
  const checkType = types.find((one) => one.checkType === type)
  if (schema.data === undefined) return schema.problem === undefined ? <Skeleton lines={6} height={72} /> : <ProblemNotice of={schema} />
  const form = formOf(schema.data, type)
  if (checkType === undefined || form === undefined) return <Notice alert title={`Unknown check type: ${type}.`} />
  return <CheckFormView checkType={checkType} form={form} initial={initial ?? startOf(type, form)} stored={null} draftKey={draftKey} />
}

const usualFrequency = '1m'

function startOf(type: string, { common }: CheckForm): Definition {
  return { type, ...(common.some(({ name }) => name === 'frequency') && { frequency: usualFrequency }) }
}
