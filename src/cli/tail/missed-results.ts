import { createClient, TidemarkError } from '../../client/index.ts'
import type { Remote } from '../remote/remote.ts'

/** Results of a check that a stream has skipped, by start in unix seconds; `to` is exclusive. */
type MissedCheck = { readonly checkId: string; readonly from: number; readonly to: number }

type Stream = { readonly remote: Remote; readonly parameters: URLSearchParams; readonly signal: AbortSignal }

/** The checks named by a reset; null if the server does not know them. */
export function missedChecks(data: string): readonly MissedCheck[] | null {
  return (JSON.parse(data) as { readonly missed: readonly MissedCheck[] | null }).missed
}

/** Reads skipped results that match the stream's parameters, newest first per check. May include further results of that time. */
export async function* missedResults(missed: readonly MissedCheck[], { remote, parameters, signal }: Stream): AsyncGenerator<string> {
  const client = createClient({ ...remote, url: remote.url.href })
  for (const { checkId, ...range } of missed) {
    const params = { path: { id: checkId }, query: { ...filterOf(parameters), ...range } }
    try {
      for await (const { entries } of client.pages('/v2/check-results/{id}', { params, signal }))
        for (const entry of entries) yield JSON.stringify(entry)
    } catch (error) {
      const isDeleted = error instanceof TidemarkError && error.status === 404
      if (!isDeleted) throw error
    }
  }
}

function filterOf(parameters: URLSearchParams): { readonly location?: string; readonly hasFailures?: boolean } {
  const location = parameters.get('location')
  return {
    ...(location !== null && { location }),
    ...(parameters.has('hasFailures') && { hasFailures: parameters.get('hasFailures') === 'true' }),
  }
}
