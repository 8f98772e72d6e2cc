import { type Resource, useDefinitions } from '../api/use-resource.ts'
import type { EditorSchema } from './form-model.ts'

export function useEditorSchema(): Resource<EditorSchema> {
  return useDefinitions(
    'editor schema',
    async (api, signal) => (await api.request<EditorSchema>({ path: '/tidemark.schema.json' }, signal)).data,
  )
}
