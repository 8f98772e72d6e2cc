import { readFileSync } from 'node:fs'

type Body = Readonly<Record<string, unknown>>

/** What the public SDK for Go sends for checks of one type, field by field as its structures say. */
export type ClientRequests = { readonly updatePath: string; readonly create: Body; readonly update: Body }

/** By the last step of the address that such checks are made at. */
export function clientRequests(path: string): ClientRequests {
  return JSON.parse(readFileSync(new URL(`../fixtures/go-sdk/${path}.json`, import.meta.url), 'utf8'))
}
