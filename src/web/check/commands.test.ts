import { expect, test } from 'vitest'
import { localCommands, pingCommands } from './commands.ts'

test('a check is run and put into maintenance by its id and account', () => {
  expect(localCommands({ id: 'shop', account: 'acme' }, true).map(({ text }) => text)).toEqual([
    'tidemark run shop --account acme',
    'tidemark maintenance add "Planned work" --for 1h --check shop --account acme',
  ])
})

test('what waits for pings is not run', () => {
  expect(localCommands({ id: 'job', account: 'acme' }, false).map(({ text }) => text.split(' ')[1])).toEqual(['maintenance'])
})

test('the shell reads the token from its variable', () => {
  const ping = { periodSeconds: 600, graceSeconds: 60, token: '$' + '{PING_TOKEN}' }
  const [url, alive, failed, cron] = pingCommands(ping, 'https://status.example').map(({ text }) => text)
  expect(url).toBe('https://status.example/ping/$' + '{PING_TOKEN}')
  expect(alive).toBe('curl -fsS -m 10 --retry 3 -o /dev/null "https://status.example/ping/$' + '{PING_TOKEN}"')
  expect(failed).toMatch(/\/fail"$/)
  expect(cron).toBe(`*/10 * * * * /path/to/job && ${alive}`)
})
