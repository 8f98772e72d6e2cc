import { type TimeWindow, windowParameters } from '../state/window.ts'
import type { ApiRequest } from './client.ts'

/** A query that can be a cache key: it names its window in place of the start and end, which depend on the time. */
export type WindowedQuery = { readonly window: TimeWindow } & Readonly<Record<string, unknown>>

/** Resolves the window now. */
export function queryRequest({ window, ...query }: WindowedQuery): ApiRequest {
  return { path: '/v1/analytics/query', body: { ...query, ...Object.fromEntries(windowParameters(window)) } }
}
