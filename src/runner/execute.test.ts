import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { checkOf, checkTypeOf, failed, passed, type Taken, testProbe, unreachable } from '../../test/support/checks.ts'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import type { Check } from '../catalogue/catalogue.ts'
import type { RunContext } from '../checks/probe/run.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { timeoutOf } from './attempt.ts'
import { execute } from './execute.ts'

const start = Date.UTC(2026, 10, 14, 10)
const retry = { strategy: 'linear', baseBackoffMs: 1000, maxRetries: 2, onlyOnNetworkErrors: false } as const

const evidence = { mode: 'failures', evidenceBytes: 16_384, screenshotBytes: 1000 } as const

function setUp(run: (context: RunContext) => Promise<Taken>, more: Partial<Check> = {}) {
  const clock = virtualClock(start)
  const bugs: unknown[] = []
  const abort = new AbortController()
  const waiting = new AbortController()
  const semaphore = createSemaphore(1)
  const permits = { held: 0 }
  const acquire = async (waiting: AbortSignal) => {
    const release = await semaphore.acquire(waiting)
    if (!release) return undefined
    permits.held += 1
    return () => {
      permits.held -= 1
      release()
    }
  }
  const environment = {
    clock,
    probe: testProbe,
    addresses: { allow: [], deny: [] },
    evidence,
    onBug: (_: Check, error: unknown) => bugs.push(error),
  }
  const check = checkOf('homepage', checkTypeOf(run), { everyMs: 60_000, ...more })
  const lacking: string[] = []
  const onNotMade = (reason: string) => lacking.push(reason)
  const done = execute(
    { check, runLocation: 'eu-west-1', signal: abort.signal, waitSignal: waiting.signal, acquire, onNotMade },
    environment,
  )
  return { clock, bugs, abort, waiting, permits, lacking, done }
}

function inTurn(...outcomes: readonly Taken[]): () => Promise<Taken> {
  let next = 0
  return async () => outcomes[next++] ?? passed
}

describe('a run', () => {
  test('that succeeds is one attempt, with its start time', async () => {
    const { done, clock } = setUp(async () => passed)
    const executed = await done
    expect(executed?.result).toMatchObject({ startedAt: start, runLocation: 'eu-west-1', attempts: 1, hasFailures: false, error: null })
    expect(clock.pending()).toBe(0)
  })

  test('that fails is retried after its backoff, and the last attempt is the result', async () => {
    const { done, clock } = setUp(inTurn(failed, unreachable, passed), { retry })
    await clock.advance(3000)
    expect((await done)?.result).toMatchObject({ startedAt: start, attempts: 3, hasFailures: false })
  })

  test('that fails every attempt is one failed result', async () => {
    const { done, clock } = setUp(inTurn(failed, failed, unreachable, passed), { retry })
    await clock.advance(3000)
    expect((await done)?.result).toMatchObject({ attempts: 3, hasFailures: true, error: 'connection refused' })
  })

  test('that is too slow is retried, too', async () => {
    const slow = { ...passed, metrics: { took: 800 } }
    const { done, clock } = setUp(inTurn(slow, passed), { retry, maxResponseTimeMs: 500 })
    await clock.advance(1000)
    expect((await done)?.result).toMatchObject({ attempts: 2, hasFailures: false })
  })

  test('releases its permit while it waits for a retry', async () => {
    const { done, clock, permits } = setUp(inTurn(failed, passed), { retry })
    await clock.advance(500)
    expect(permits.held).toBe(0)
    await clock.advance(500)
    await done
    expect(permits.held).toBe(0)
  })
})

describe('the evidence of a run', () => {
  const received = { status: 503, headers: [{ name: 'server', value: 'nginx' }], body: 'Sorry', truncated: false }
  const assertions = [{ text: 'status equals 200', passed: false, actual: '503' }]
  const steps = [{ title: 'log in', durationMs: 7, error: 'no such button' }]
  const shown: Taken = { ...failed, received, assertions, steps, notes: ['redirected'], screenshot: Uint8Array.of(1) }
  const evidenceOf = async (outcomes: readonly Taken[], more: Partial<Check> = {}) => {
    const { done, clock } = setUp(inTurn(...outcomes), { retry, ...more })
    await clock.advance(3000)
    return (await done)?.evidence
  }

  test('has every attempt, with its start and reason', async () => {
    expect(await evidenceOf([unreachable, failed, shown])).toEqual({
      attempts: [
        { startedAt: start, error: 'connection refused', assertions: [], response: null, steps: [], messages: [] },
        { startedAt: start + 1000, error: failed.failure, assertions: [], response: null, steps: [], messages: [] },
        { startedAt: start + 3000, error: failed.failure, assertions, response: received, steps, messages: ['redirected'] },
      ],
      screenshot: Uint8Array.of(1),
    })
  })

  test('of a too slow run includes the response', async () => {
    const slow = { ...passed, metrics: { took: 800 }, received }
    const kept = await evidenceOf([slow, slow, slow], { maxResponseTimeMs: 500 })
    expect(kept?.attempts.map(({ response }) => response?.status)).toEqual([503, 503, 503])
  })

  test.each([
    ['failures', [shown, passed], null],
    ['failures', [shown, shown, shown], 3],
    ['all', [shown, passed], 2],
    ['all', [passed], 1],
    ['none', [shown, shown, shown], null],
    [null, [passed], null],
    [null, [shown, shown, shown], 3],
  ] as const)('is kept by the mode of the check, or of the service by default (%s)', async (mode, outcomes, attempts) => {
    const kept = await evidenceOf(outcomes, { evidence: mode })
    expect(kept?.attempts.length ?? null).toBe(attempts)
  })

  test('includes response and screenshot only if evidence is kept', async () => {
    const allowed = async (mode: Check['evidence']) => {
      const seen: unknown[] = []
      const { done } = setUp(
        async ({ keepsReceived, screenshotBytes }) => {
          seen.push(keepsReceived, screenshotBytes)
          return passed
        },
        { evidence: mode },
      )
      await done
      return seen
    }
    expect(await allowed('none')).toEqual([false, 0])
    expect(await allowed('failures')).toEqual([true, 1000])
  })

  test('has no secrets of the check', async () => {
    const word = 'open-sesame'
    const leaking: Taken = {
      ...failed,
      failure: `no ${word}`,
      assertions: [{ text: `body contains ${word}`, passed: false, actual: word }],
      received: { status: 200, headers: [{ name: `x-${word}`, value: word }], body: `<p>${word}</p>`, truncated: false },
      steps: [{ title: `type ${word}`, durationMs: 1, error: `${word} is wrong` }],
      notes: [`printed ${word}`],
    }
    const kept = await evidenceOf([leaking, leaking, leaking], { secrets: [word] })
    expect(kept?.attempts).toHaveLength(3)
    expect(JSON.stringify(kept)).not.toContain('sesame')
    expect(JSON.stringify(kept).split('•••').length).toBe(3 * 9 + 1)
  })
})

describe('an aborted run', () => {
  test('that is aborted as it begins receives the abort at once, and has no result', async () => {
    const seen: boolean[] = []
    const { done, abort } = setUp(async ({ signal }) => {
      seen.push(signal.aborted)
      return passed
    })
    abort.abort()
    expect(await done).toBeUndefined()
    expect(seen).toEqual([true])
  })

  test('has no result, even if it completes', async () => {
    const { done, abort } = setUp(({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(passed))))
    await new Promise((resolve) => setImmediate(resolve))
    abort.abort()
    expect(await done).toBeUndefined()
  })

  test('between two attempts has no result', async () => {
    const { done, waiting, clock } = setUp(async () => failed, { retry })
    await clock.advance(500)
    waiting.abort()
    expect(await done).toBeUndefined()
  })
})

describe('a run that times out', () => {
  test('is aborted by its signal, and what it then returns is the result', async () => {
    const said = { ...unreachable, failure: 'no answer within 30,000 ms at connect' }
    const hanging = ({ signal }: RunContext) =>
      new Promise<Taken>((resolve) =>
        signal.addEventListener('abort', () => resolve(signal.reason.name === 'TimeoutError' ? said : passed)),
      )
    const { done, clock, bugs } = setUp(hanging)
    await clock.advance(29_999)
    expect(clock.pending()).toBe(1)
    await clock.advance(1)
    expect((await done)?.result).toMatchObject({ hasFailures: true, hasErrors: true, error: 'no answer within 30,000 ms at connect' })
    expect(clock.pending()).toBe(0)
    expect(bugs).toEqual([])
  })

  test('fails without being logged as a bug if it throws the abort', async () => {
    const { done, clock, bugs } = setUp(
      ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    await clock.advance(30_000)
    expect((await done)?.result).toMatchObject({ hasFailures: true, hasErrors: true, error: 'no answer within 30,000 ms', values: {} })
    expect(bugs).toEqual([])
  })

  test('fails even if it ignores the signal, which is logged', async () => {
    const { done, clock, bugs } = setUp(() => new Promise(() => {}))
    await clock.advance(34_999)
    expect(bugs).toEqual([])
    await clock.advance(1)
    expect((await done)?.result).toMatchObject({ hasFailures: true, hasErrors: true, error: 'no answer within 30,000 ms', values: {} })
    expect(bugs).toHaveLength(1)
  })

  const light = checkTypeOf(async () => passed)
  const heavy = checkTypeOf(async () => passed, true)

  test('has a shorter timeout by default if the check runs often, and a longer one if it is heavy', () => {
    expect(timeoutOf({ checkType: light, everyMs: 10_000, timeoutMs: null })).toBe(9000)
    expect(timeoutOf({ checkType: light, everyMs: 3_600_000, timeoutMs: null })).toBe(30_000)
    expect(timeoutOf({ checkType: heavy, everyMs: 60_000, timeoutMs: null })).toBe(240_000)
  })

  test('has the timeout of the check, but a light one always ends before its next slot', () => {
    expect(timeoutOf({ checkType: light, everyMs: 60_000, timeoutMs: 5000 })).toBe(5000)
    expect(timeoutOf({ checkType: light, everyMs: 10_000, timeoutMs: 60_000 })).toBe(9000)
    expect(timeoutOf({ checkType: heavy, everyMs: 60_000, timeoutMs: 600_000 })).toBe(600_000)
  })
})

test('an exception is a failed result without its message, which is logged', async () => {
  const { done, bugs } = setUp(async () => {
    throw new TypeError('cannot read https://user:secret@127.0.0.1')
  })
  const executed = await done
  expect(executed?.result).toMatchObject({ hasFailures: true, hasErrors: true, values: {} })
  expect(executed?.result.error).toBe('this check could not be run because of an internal error; see the log')
  expect(bugs).toMatchObject([{ name: 'TypeError', message: expect.stringContaining('cannot read') }])
})

describe('the secrets of a check', () => {
  const secrets = ['open sesame']

  test('are redacted in everything that a run returns', async () => {
    const said = 'it said open sesame'
    const reported = { failure: said, notes: [said], assertions: [{ text: said, passed: false, actual: said }] }
    const { done } = setUp(async () => ({ ...failed, ...reported, pages: [{ pageUrl: said }] }), { secrets })
    const executed = await done
    expect(executed?.result).toMatchObject({ error: 'it said •••', pages: [{ pageUrl: 'it said •••' }] })
    expect(JSON.stringify(executed)).not.toContain('sesame')
    expect(executed?.measured.assertions).toEqual([{ text: 'it said •••', passed: false, actual: 'it said •••' }])
  })

  test('are redacted in logged exceptions, whose other properties are dropped', async () => {
    const { done, bugs } = setUp(
      async () => {
        throw Object.assign(new TypeError('no open sesame'), { input: 'open sesame' })
      },
      { secrets },
    )
    await done
    expect(bugs).toMatchObject([{ name: 'TypeError', message: 'no •••', stack: expect.stringMatching(/^TypeError: no •••\n/) }])
    expect(inspect(bugs)).not.toContain('sesame')
  })

  test('are redacted in thrown values that are not errors', async () => {
    const { done, bugs } = setUp(
      async () => {
        throw 'no open sesame'
      },
      { secrets },
    )
    await done
    expect(bugs).toMatchObject([{ message: 'no •••' }])
  })

  test('include those that its type declares', async () => {
    const said = async () => ({ ...failed, failure: 'neither open sesame nor swordfish' })
    const checkType = { ...checkTypeOf(said), secrets: () => ['swordfish'] }
    const { done } = setUp(said, { secrets, checkType })
    expect((await done)?.result.error).toBe('neither ••• nor •••')
  })

  test('are passed to the run, which must redact before truncating', async () => {
    const seen: unknown[] = []
    const { done } = setUp(
      async (context) => {
        seen.push(context.secrets)
        return passed
      },
      { secrets },
    )
    await done
    expect(seen).toEqual([secrets])
  })
})

test('a check of a type that cannot run fails, which is logged', async () => {
  const { run: _, ...pinged } = checkTypeOf(async () => passed)
  const { done, bugs } = setUp(async () => passed, { checkType: pinged })
  expect((await done)?.result).toMatchObject({ hasFailures: true, hasErrors: true })
  expect(bugs).toMatchObject([{ name: 'TypeError' }])
})

test('each attempt is reported with the delay before the next one', async () => {
  const clock = virtualClock(start)
  const reported: unknown[] = []
  const signal = new AbortController().signal
  const environment = { clock, probe: testProbe, addresses: { allow: [], deny: [] }, evidence, onBug: () => {} }
  const done = execute(
    {
      check: checkOf('homepage', checkTypeOf(inTurn(failed, passed)), { retry }),
      runLocation: 'eu-west-1',
      signal,
      waitSignal: signal,
      acquire: async () => () => {},
      onNotMade: () => {},
      onAttempt: ({ failure }, retryInMs) => reported.push([failure, retryInMs]),
    },
    environment,
  )
  await clock.advance(1000)
  await done
  expect(reported).toEqual([
    [failed.failure, 1000],
    [null, null],
  ])
})

test('the warm-up of a type precedes its run', async () => {
  const steps: string[] = []
  const run = async () => {
    steps.push('run')
    return passed
  }
  const warmUp = async () => void steps.push('rehearsal')
  const { done } = setUp(async () => passed, { checkType: { ...checkTypeOf(async () => passed), run: async () => ({ run, warmUp }) } })
  await done
  expect(steps).toEqual(['rehearsal', 'run'])
})

test('a run that this machine could not make has no result and is not retried', async () => {
  const exhausted = { ...failed, exhausted: 'this process has too many open files' }
  const { done, lacking } = setUp(inTurn(exhausted, passed), { retry })
  expect(await done).toBeUndefined()
  expect(lacking).toEqual(['this process has too many open files'])
})
