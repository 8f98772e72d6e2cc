import { setTimeout as sleep } from 'node:timers/promises'
import { checkKey } from '../../ids/check-ref.ts'
import { type Copy, copyChecks } from '../../store/transfer/copy.ts'
import { isoText } from '../../time.ts'

type FollowOptions = {
  /** Stops after the current round. */
  readonly signal: AbortSignal
  readonly now: () => number
  readonly say: (line: string) => void
  readonly status: NodeJS.WriteStream
}

const minPauseMs = 1000

/**
 * Copies new results of the source round by round, including late results of old days. Returns a function that releases the source once its
 * server has stopped, or null if interrupted.
 */
export async function followSource(copy: Copy, { signal, now, say, status }: FollowOptions): Promise<(() => void) | null> {
  const { source } = copy
  const revisions = new Map<string, string | null>()
  let added = 0
  for (let round = 0; ; round++) {
    const begunAt = now()
    const checks = await source.checks()
    const changed = checks.filter((check) => check.revision === null || revisions.get(checkKey(check)) !== check.revision)
    added += await copyChecks(copy, changed)
    for (const check of changed) revisions.set(checkKey(check), check.revision)
    if (round === 0) say(levelWords(source, begunAt))
    else showStatus(status, `In sync at ${isoText(begunAt)}, ${added} results copied in the meantime.`)
    const release = source.claim?.()
    if (release || signal.aborted) {
      showStatus(status, '')
      say(`${release ? `No server is using ${source.name} any more` : 'Interrupted'}: copying the rest.`)
      return release ?? null
    }
    await sleep(Math.max(minPauseMs, now() - begunAt), undefined, { signal }).catch(() => {})
  }
}

function levelWords({ name, claim }: Copy['source'], instant: number): string {
  const next = claim
    ? `Stop the server of ${name} to finish, or press Ctrl+C.`
    : `Stop the servers that use ${name}, and then press Ctrl+C.`
  return `Everything up to ${isoText(instant)} is copied. New results are copied as they arrive. ${next}`
}

/** On a terminal, overwrites the current line. */
function showStatus(stream: NodeJS.WriteStream, text: string): void {
  if (stream.isTTY) stream.write(`\r\u001b[K${text}`)
}
