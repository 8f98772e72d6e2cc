import type { Static } from '../../schema/typebox.ts'
import type { ApiSettings } from './shape.ts'

type Settings = Pick<Static<typeof ApiSettings>['request'], 'body' | 'bodyType'>

/** The request body and its content type. */
export function bodyOf({ body, bodyType = 'raw' }: Settings): { readonly body: string | null; readonly contentType: string | null } {
  if (body === undefined) return { body: null, contentType: null }
  if (bodyType === 'graphql') return { body: graphql(body), contentType: 'application/json' }
  return { body, contentType: contentTypes[bodyType] }
}

const contentTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded', raw: null }

/** A GraphQL body is the query, or a complete `{"query", "variables", …}` in JSON. */
function graphql(text: string): string {
  try {
    const whole: unknown = JSON.parse(text)
    if (typeof whole === 'object' && whole !== null && 'query' in whole) return text
  } catch {}
  return JSON.stringify({ query: text })
}
