import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { channelTypes } from '../../src/alerts/channels/registry.ts'
import { parseConfig } from '../../src/catalogue/config-file/parse.ts'

const page = readFileSync(new URL('../../docs/alert-channels.md', import.meta.url), 'utf8')
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split('\n', 1)[0], section]),
)

const environment = {
  SLACK_URL: 'https://hooks.slack.com/services/T000/B000/XXXX',
  DISCORD_URL: 'https://discord.com/api/webhooks/1/x',
  TEAMS_URL: 'https://example.logic.azure.com/workflows/x',
  WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  SMTP_PASSWORD: 'password',
  TELEGRAM_TOKEN: '123456:ABC-DEF1234ghIkl',
  NTFY_TOPIC: 'topic-nobody-guesses',
  PAGERDUTY_KEY: '0123456789abcdef0123456789abcdef',
  MATRIX_TOKEN: 'syt_token',
  GOTIFY_TOKEN: 'AbCdEf.123',
  PUSHOVER_APP: 'a'.repeat(30),
  PUSHOVER_USER: 'u'.repeat(30),
  APPRISE_KEY: 'key',
}

test('every channel type has its section, and there are no others', () => {
  expect([...sections.keys()]).toEqual(channelTypes.map(({ type }) => type))
})

test.each(channelTypes)('the examples of $type are valid', ({ type }) => {
  const examples = [...(sections.get(type) ?? '').matchAll(/^```yaml\n(.*?)^```/gms)].map((match) => match[1] ?? '')
  expect(examples.length).toBeGreaterThan(0)
  for (const example of examples) {
    const channels = example.replace(/^/gm, '      ')
    const parsed = parseConfig(`accounts:\n  - id: main\n    channels:\n${channels}`, environment)
    expect(parsed).not.toHaveProperty('faults')
    expect(example).toContain(`type: ${type}`)
  }
})
