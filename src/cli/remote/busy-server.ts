import { retryAfterOf } from '../../client/error.ts'
import { minuteMs } from '../../time.ts'
import type { Remote } from './remote.ts'

export const maxTries = 8
export const maxPauseMs = minuteMs

/** How long to wait for a server that is busy, as it asks for; null if it is not. */
export function busyPauseMs(response: Response): number | null {
  if (response.status !== 429 && response.status !== 503) return null
  return Math.min(maxPauseMs, 1000 * (retryAfterOf(response) || 1))
}

export function busyText({ url }: Pick<Remote, 'url'>, { status }: Pick<Response, 'status'>): string {
  return `The server at ${url.href} is busy (${status}).`
}
