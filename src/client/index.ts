import type { components } from './openapi.ts'

export { type Answer, type Client, type ClientOptions, createClient, type ExportWindow, type Question, type ResultRow } from './client.ts'
export { TidemarkError, UnreachableError } from './error.ts'
export type { components, paths } from './openapi.ts'
/** The types of requests and responses by name: `Schemas['Alert']`. */
export type Schemas = components['schemas']
export type { PagedPath, ReportPath } from './pages.ts'
