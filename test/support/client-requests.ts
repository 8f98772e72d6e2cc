import { readFileSync } from 'node:fs'

type Body = Readonly<Record<string, unknown>>

/** Requests of the public SDK for Go for checks of one type, field by field as its structures define them. */
export type ClientRequests = { readonly updatePath: string; readonly create: Body; readonly update: Body }

/** `path` is the last segment of the endpoint that creates such checks. */
export function clientRequests(path: string): ClientRequests {
  return JSON.parse(readFileSync(new URL(`../fixtures/go-sdk/${path}.json`, import.meta.url), 'utf8'))
}
