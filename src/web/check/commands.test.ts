import { expect, test } from 'vitest'
import { localCommands, pingCommands, remoteCommands } from './commands.ts'

test('a check is run and put into maintenance by id and account', () => {
  expect(localCommands({ id: 'shop', account: 'acme' }, true).map(({ text }) => text)).toEqual([
    'tidemark run shop --account acme',
    'tidemark maintenance add "Planned work" --for 1h --check shop --account acme',
  ])
})

test('a check that receives pings cannot be run', () => {
  expect(localCommands({ id: 'job', account: 'acme' }, false).map(({ text }) => text.split(' ')[1])).toEqual(['maintenance'])
})

test('the shell reads the token from a variable', () => {
  const ping = { periodSeconds: 600, graceSeconds: 60, token: '$' + '{PING_TOKEN}' }
  const [url, alive, failed, cron] = pingCommands(ping, 'https://status.example').map(({ text }) => text)
  expect(url).toBe('https://status.example/ping/$' + '{PING_TOKEN}')
  expect(alive).toBe('curl -fsS -m 10 --retry 3 -o /dev/null "https://status.example/ping/$' + '{PING_TOKEN}"')
  expect(failed).toMatch(/\/fail"$/)
  expect(cron).toBe(`*/10 * * * * /path/to/job && ${alive}`)
})

test('each command has a description, and is quoted for a shell', () => {
  const id = "the shop's"
  expect(localCommands({ id, account: 'acme' }, true).map(({ label }) => label)).toEqual([
    'Run it now, without storing the result',
    'Maintenance for it, from now on',
  ])
  expect(remoteCommands({ id })).toEqual([
    { label: 'Follow its results', text: `tidemark tail 'the shop'\\''s'` },
    { label: 'Silence its alerts', text: `tidemark alert silence --for 2h --check 'the shop'\\''s' --comment "Planned work"` },
  ])
  expect(pingCommands({ periodSeconds: 60, graceSeconds: 0, token: null }, 'http://x').map(({ label, text }) => [label, text])).toEqual([
    ['The URL to ping', 'http://x/ping/$TOKEN'],
    ['At the end of the job', 'curl -fsS -m 10 --retry 3 -o /dev/null "http://x/ping/$TOKEN"'],
    ['When the job has failed', 'curl -fsS -m 10 --retry 3 -o /dev/null "http://x/ping/$TOKEN/fail"'],
    ['For a crontab', '*/1 * * * * /path/to/job && curl -fsS -m 10 --retry 3 -o /dev/null "http://x/ping/$TOKEN"'],
  ])
})
