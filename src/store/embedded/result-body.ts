import type { Page, Result } from '../store.ts'

const flagNames = ['hasFailures', 'hasErrors', 'isDegraded', 'overMaxResponseTime'] as const

/** The yes-or-no properties of a result as the bits of one number. */
export function flagsOf(result: Pick<Result, (typeof flagNames)[number]>): number {
  return flagNames.reduce((bits, name, i) => bits | (result[name] ? 1 << i : 0), 0)
}

export function flagged(bits: number): Pick<Result, (typeof flagNames)[number]> {
  return {
    hasFailures: (bits & 1) !== 0,
    hasErrors: (bits & 2) !== 0,
    isDegraded: (bits & 4) !== 0,
    overMaxResponseTime: (bits & 8) !== 0,
  }
}

/** The text of all of a result that is not its position. */
export function toBody({ attempts, state, error, values, pages, ...result }: Result): string {
  return JSON.stringify({
    f: flagsOf(result),
    n: attempts,
    s: state ?? undefined,
    e: error ?? undefined,
    v: values,
    p: pages.length ? pages : undefined,
  })
}

type Body = { f: number; n: number; s?: string; e?: string; v: Record<string, number>; p?: Page[] }

export function fromBody(startedAt: number, runLocation: string, id: string, body: string): Result {
  const { f, n, s, e, v, p }: Body = JSON.parse(body)
  return { id, startedAt, runLocation, ...flagged(f), attempts: n, state: s ?? null, error: e ?? null, values: v, pages: p ?? [] }
}

/** By time, then location, then id. */
export function comparePositions(
  a: Pick<Result, 'startedAt' | 'runLocation' | 'id'>,
  b: Pick<Result, 'startedAt' | 'runLocation' | 'id'>,
): number {
  return a.startedAt - b.startedAt || compareText(a.runLocation, b.runLocation) || compareText(a.id, b.id)
}

export const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
