import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from './api-client.ts'
import { busyPauseMs, busyText, maxTries } from './busy-server.ts'
import { callServer, type Remote } from './remote.ts'

type Answer = { readonly ok: boolean; readonly status: number; readonly text: string }

type PatientCall = {
  readonly path: string
  readonly init?: RequestInit
  /** Called with a message before each pause. */
  readonly warn: (message: string) => void
}

/** Calls a server, and waits while it is busy: many calls in a row may exceed the rate limit of the key. */
export async function callPatiently(remote: Remote, { path, init, warn }: PatientCall): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const { pauseMs, ...answer } = await ask(remote, async () => {
      const response = await callServer(remote, path, init)
      return { ok: response.ok, status: response.status, text: await response.text(), pauseMs: busyPauseMs(response) }
    })
    if (pauseMs === null || tries === maxTries) return answer
    warn(`${busyText(remote, answer)} Retrying in ${pauseMs / 1000} s.`)
    await sleep(pauseMs)
  }
}
