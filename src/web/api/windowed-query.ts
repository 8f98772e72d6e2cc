import { type TimeWindow, windowParameters } from '../state/window.ts'
import type { ApiRequest } from './client.ts'

/** A question to the query endpoint. Fit for cache keys: it names its window, whose start and end depend on the time. */
export type WindowedQuery = { readonly window: TimeWindow } & Readonly<Record<string, unknown>>

/** The request for the window as of now. */
export function queryRequest({ window, ...query }: WindowedQuery): ApiRequest {
  return { path: '/v1/analytics/query', body: { ...query, ...Object.fromEntries(windowParameters(window)) } }
}
