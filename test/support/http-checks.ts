import { httpCheck } from '../../src/checks/probe/http/http-check.ts'
import type { RunContext } from '../../src/checks/probe/run.ts'
import { runContext } from './run-context.ts'

/** Calls a URL like a check, following redirects. */
export function call(url: string, context: Partial<RunContext> = {}, method = 'GET') {
  const request = { url: new URL(url), method, headers: {}, body: null, skipTls: true, ipFamily: undefined }
  return httpCheck({ request, followRedirects: true, shouldFail: false, assertions: [] }, runContext(context))
}
