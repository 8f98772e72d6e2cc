import { setTimeout as sleep } from 'node:timers/promises'
import { retryAfterOf } from '../../client/error.ts'
import { ask } from './api-client.ts'
import { callServer, type Remote } from './remote.ts'

type Answer = { readonly ok: boolean; readonly status: number; readonly text: string }

type PatientCall = {
  readonly path: string
  readonly init?: RequestInit
  /** Called with a message before each pause. */
  readonly warn: (message: string) => void
}

const maxTries = 8
const maxPauseSeconds = 60

/** Calls a server, and waits while it is busy: many calls in a row may exceed the rate limit of the key. */
export async function callPatiently(remote: Remote, { path, init, warn }: PatientCall): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const { pauseSeconds, ...answer } = await ask(remote, async () => {
      const response = await callServer(remote, path, init)
      return { ok: response.ok, status: response.status, text: await response.text(), pauseSeconds: pauseOf(response) }
    })
    if (pauseSeconds === null || tries === maxTries) return answer
    warn(`The server at ${remote.url.href} is busy (${answer.status}). Retrying in ${pauseSeconds} s.`)
    await sleep(pauseSeconds * 1000)
  }
}

function pauseOf(response: Response): number | null {
  if (response.status !== 429 && response.status !== 503) return null
  return Math.min(maxPauseSeconds, retryAfterOf(response) ?? 1)
}
