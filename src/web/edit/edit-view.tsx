import type { CheckType } from '../api/answers.ts'
import { firstProblem, type Resource } from '../api/use-resource.ts'
import { Copyable } from '../share/copyable.tsx'
import { RouteLink } from '../state/route.tsx'
import { ProblemNotice, Skeleton } from '../view/notice.tsx'
import { useTitle } from '../view/use-title.ts'
import { CheckFormView } from './check-form.tsx'
import { storedDraft } from './drafts.ts'
import { formOf } from './form-model.ts'
import { type EditableCheck, useStored } from './stored-check.ts'
import { useEditorSchema } from './use-editor-schema.ts'
import { WriteOnly } from './write-only.tsx'

type EditViewProps = { readonly id: string; readonly types: Resource<readonly CheckType[]> }

export function EditCheckView({ id, types }: EditViewProps) {
  const schema = useEditorSchema()
  const stored = useStored(id)
  const name = String(stored.data?.definition.name ?? '')
  useTitle('Edit', name)
  const failed = firstProblem(types, schema, stored)
  if (failed !== null) {
    return (
      <ProblemNotice whole of={failed}>
        <RouteLink href="/">All checks of this account</RouteLink>
      </ProblemNotice>
    )
  }
  if (stored.data === undefined || types.data === undefined || schema.data === undefined) return <Skeleton lines={6} height={72} />
  const { definition, tag } = stored.data
  const checkType = types.data.find((one) => one.checkType === definition.type)
  const form = formOf(schema.data, String(definition.type))
  return (
    <>
      <div class="view-head">
        <nav aria-label="Up">
          <RouteLink href="/">Checks</RouteLink> <span aria-hidden="true">/</span> <RouteLink href={`/checks/${id}`}>{name}</RouteLink>
        </nav>
        <h1>Edit {name}</h1>
        <span class="note">{checkType?.label}</span>
      </div>
      {tag === null ? (
        <InFile stored={stored.data} />
      ) : (
        <WriteOnly>
          {checkType && form && (
            <CheckFormView checkType={checkType} form={form} initial={definition} stored={stored.data} draftKey={storedDraft(id)} />
          )}
        </WriteOnly>
      )}
    </>
  )
}

function InFile({ stored: { id, place, yaml } }: { readonly stored: EditableCheck }) {
  return (
    <section class="start">
      <p>
        This check is defined in {place === null ? 'the config file' : <code>{place}</code>}. Edit it there: the page shows the change
        within seconds. To edit it here, move it to the server:
      </p>
      <Copyable label="In the folder of the config file" text={`tidemark config adopt --checks ${id}`} />
      <p>
        Or <RouteLink href={`/new?copy=${encodeURIComponent(id)}`}>make a copy of it here</RouteLink>.
      </p>
      <Copyable label="As in the file" text={yaml} />
    </section>
  )
}
