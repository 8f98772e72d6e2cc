import type { OpenApi } from '../../src/http/reference/openapi.ts'

/** The document with all references inlined. */
export function withoutReferences(document: OpenApi): OpenApi {
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(resolve)
    if ('$ref' in value) return resolve(referred(String(value.$ref)))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolve(item)]))
  }
  const referred = (reference: string): unknown => {
    const names = reference.replace('#/', '').split('/')
    return names.reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>>)[name], document)
  }
  return resolve(document) as OpenApi
}
