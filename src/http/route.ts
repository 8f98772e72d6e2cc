import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { Account, Catalogue, Key } from '../catalogue/catalogue.ts'
import type { CheckType } from '../checks/define.ts'
import { apiError, type ErrorCode } from '../errors.ts'
import type { Store } from '../store/store.ts'
import type { Params } from './params.ts'

export type Clock = { readonly now: () => number }

/** What routes are made of; nothing else comes from outside. */
export type Deps = {
  readonly catalogue: Catalogue
  readonly store: Store
  readonly clock: Clock
  readonly log: FastifyBaseLogger
  readonly checkTypes: readonly CheckType[]
  /** What a one-time code stands for; absent where there are no such codes. */
  readonly signIn?: (code: string) => Credentials | undefined
}

export type Credentials = { readonly key: string; readonly account: string }

/**
 * A file of routes exports one of these, and app.ts calls it. Each route says who may call it and what it is for:
 * `app.get(path, { config: { access: 'read', doc: {…} } }, handler)`.
 */
export type Routes = (app: FastifyInstance, deps: Deps) => void | Promise<void>

/**
 * `open`: anyone. `read`, `ingest`: a key with that scope, or admin. `key`: any key.
 * `optional`: none, or a key that may read; then the handler decides what a caller without one gets.
 */
export type Access = 'open' | 'optional' | 'read' | 'ingest' | 'key'

export type Caller = { readonly account: Account; readonly key: Key }

/** What the reference says of a route. */
export type Doc = {
  readonly group: string
  readonly summary: string
  readonly description?: string
  readonly query?: Params
  readonly path?: Readonly<Record<string, Schema>>
  readonly body?: Content
  readonly answer: Content
  /** Beside those that every route of this access has. */
  readonly errors?: readonly ErrorCode[]
}
export type Content = {
  readonly description: string
  readonly mediaType?: string
  readonly schema?: Schema
  readonly example?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
export type Schema = Readonly<Record<string, unknown>>

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    doc?: Doc
  }
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** Who asks. A route that is not open always has one. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw apiError('MISSING_KEY')
  return request.caller
}
