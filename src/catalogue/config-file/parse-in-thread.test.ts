import { expect, onTestFinished, test } from 'vitest'
import { anyRunType, exampleCheck } from '../../../test/support/example-config.ts'
import { threadModule } from '../../../test/support/thread-module.ts'
import { toThread, transferKey } from './config-transfer.ts'
import { parseConfig } from './parse.ts'
import { openConfigParser } from './parse-in-thread.ts'

/** Replies with the JSON in the text. Checks that are null in it must not be requested. */
const thread = `
  let checks = []
  const parse = ({ text }) => {
    if (text === 'spin') for (;;);
    const { checks: sent, ...reply } = JSON.parse(text)
    checks = sent
    return reply
  }
  const takeChecks = (indexes) => indexes.map((index) => checks[index] ?? fail(index))
  const release = () => { checks = [] }
  answerCalls(functionsOf({ parse, takeChecks, release }))
  const fail = (index) => { throw new Error('check ' + index + ' was asked for') }`

const checkType = anyRunType()

function configOf(...ids: readonly string[]) {
  const checks = ids.map((id) => ({ ...exampleCheck(checkType), id, name: id }))
  const parsed = parseConfig(JSON.stringify({ accounts: [{ id: 'acme', checks }] }), {})
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return parsed.config
}

/** The reply of the thread to a file with these checks. It may send only some of them. */
function replyOf(config: ReturnType<typeof configOf>, sendable: readonly string[]): string {
  const { head, checks } = toThread(config)
  const sent = checks.map((check) => (sendable.includes(check.id) ? check : null))
  return JSON.stringify({ head: { ...head, policies: [] }, keys: config.checks.map(transferKey), checks: sent })
}

async function openParser(known: ReturnType<typeof configOf>, options: Parameters<typeof openConfigParser>[1] = {}) {
  const parser = openConfigParser(known.checks, { module: await threadModule(thread), ...options })
  onTestFinished(() => parser.close())
  return parser
}

test('checks that are known from the start or the last file are not transferred again', async () => {
  const { parse } = await openParser(configOf('a', 'b'))
  const [second, third] = [configOf('b', 'c', 'a'), configOf('c', 'd')]
  expect(await parse(replyOf(second, ['c']), {}, '.')).toMatchObject({ config: { checks: second.checks } })
  expect(await parse(replyOf(third, ['d']), {}, '.')).toMatchObject({ config: { checks: third.checks } })
})

test('a removed check is transferred again when it is added back', async () => {
  const { parse } = await openParser(configOf('a', 'b'))
  await parse(replyOf(configOf('a'), []), {}, '.')
  await expect(parse(replyOf(configOf('a', 'b'), []), {}, '.')).rejects.toThrow('check 1 was asked for')
  expect(await parse(replyOf(configOf('a', 'b'), ['b']), {}, '.')).toMatchObject({ config: { checks: configOf('a', 'b').checks } })
})

test('more checks than fit into one reply all arrive, in order', async () => {
  const { parse } = await openParser(configOf('a'))
  const ids = Array.from({ length: 401 }, (_, i) => `check-${i}`)
  const parsed = await parse(replyOf(configOf(...ids), ids), {}, '.')
  expect('config' in parsed && parsed.config.checks.map(({ id }) => id)).toEqual(ids)
})

test('faults are passed on, and known checks stay known', async () => {
  const { parse } = await openParser(configOf('a'))
  expect(await parse(JSON.stringify({ faults: [{ line: 1, text: 'it is empty' }] }), {}, '.')).toEqual({
    faults: [{ line: 1, text: 'it is empty' }],
  })
  expect(await parse(replyOf(configOf('a'), []), {}, '.')).toMatchObject({ config: { checks: configOf('a').checks } })
})

test('a file that blocks the thread fails with a log message, and the next one is parsed', async () => {
  const lost: string[] = []
  const { parse } = await openParser(configOf('a'), { timeLimitMs: 2000, onLost: ({ message }) => lost.push(message) })
  await expect(parse('spin', {}, '.')).rejects.toThrow('Reading it takes too long')
  expect(lost).toEqual(['A parser thread was terminated and replaced: parse of the config file timed out after 2,000 ms.'])
  /** A thread may take longer to start. */
  const parsed = () => parse(replyOf(configOf('a'), []), {}, '.').catch(String)
  await expect.poll(parsed, { timeout: 30_000 }).toMatchObject({ config: { checks: configOf('a').checks } })
})
