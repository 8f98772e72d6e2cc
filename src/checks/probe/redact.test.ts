import { expect, onTestFinished, test, vi } from 'vitest'
import {
  deepRedactor,
  encodings,
  headerSecrets,
  isOriginUrl,
  isSecretHeader,
  isSecretName,
  redactedEnd,
  redactedStart,
  redactor,
  withoutIssuedSecrets,
} from './redact.ts'

test('a secret is redacted as a whole and in its parts', () => {
  const secrets = headerSecrets({ Authorization: 'Bearer abc.def', Cookie: 'sid=12345; lang=de', Accept: 'application/json' })
  expect(redactor(secrets)('got Bearer abc.def and abc.def, 12345, application/json')).toBe('got ••• and •••, •••, application/json')
})

test('the longer of two secrets is redacted first', () => {
  expect(redactor(['password', 'passwordpassword'])('passwordpassword')).toBe('•••')
})

test('a secret that is too long for a regular expression is redacted as well', () => {
  const long = Array.from({ length: 5000 }, (_, index) => `token-${index}`).join()
  expect(redactor([long, 'hunter2-hunter2'])(`a ${long} b HUNTER2-hunter2 c`)).toBe('a ••• b ••• c')
})

test('text that is too short to be a secret is kept', () => {
  expect(redactor(['yes', ''])('a yes is a yes')).toBe('a yes is a yes')
})

test.each([1, 2, 3])('a secret that was percent-encoded %i times is redacted with the word around it', (times) => {
  const secret = 'Tell/No "one" 4711&é'
  const encoded = Array.from({ length: times }).reduce<string>(
    (text) => encodeURIComponent(text),
    `/found?q=${secret}&again=${secret.replaceAll(' ', '+')}`,
  )
  expect(deepRedactor([secret])(`see ${encoded} and 100%25 here`)).toBe('see ••• and 100%25 here')
  const start = redactedStart(`see ${encoded}`, { complete: false, maxLength: 25 }, [secret])
  expect(start).toBe('see ')
})

test('the truncated start of a text has no part of a secret, wherever it is cut', () => {
  const secrets = ['correct-horse', 'battery']
  const text = 'x correct-horse y battery z correct-horse battery correct-horse'
  for (let received = 0; received <= text.length; received++) {
    for (const maxLength of [5, 20, 200]) {
      const start = redactedStart(text.slice(0, received), { complete: received === text.length, maxLength }, secrets)
      expect(start.replaceAll('•••', '')).not.toMatch(/cor|bat/)
      expect(start.length).toBeLessThanOrEqual(maxLength)
    }
  }
  expect(redactedStart(text, { complete: true, maxLength: 200 }, secrets)).toBe('x ••• y ••• z ••• ••• •••')
})

test.each([
  ['{"access_token": "eyJhbGciOi", "expires": 60}', '{"access_token": "•••", "expires": 60}'],
  ['{"user":{"password":"a\\"b"},"id":1}', '{"user":{"password":"•••"},"id":1}'],
  ['{"sessionId":"cut her', '{"sessionId":"•••"'],
  ['{"name":"Tom"}', '{"name":"Tom"}'],
  ['see /a?token=abc&page=2 or <a href="/b?page=1">', 'see /a?token=•••&page=2 or <a href="/b?page=1">'],
])('credentials issued by a target are redacted by their names: %s', (text, hidden) => {
  expect(withoutIssuedSecrets(text)).toBe(hidden)
})

test('response headers with credentials are recognized by name', () => {
  const names = ['Set-Cookie', 'authorization', 'x-api-key', 'x-amz-security-token', 'www-authenticate', 'content-type', 'server']
  expect(names.filter(isSecretHeader)).toEqual(['Set-Cookie', 'authorization', 'x-api-key', 'x-amz-security-token'])
})

test.each(['correct-Horse/Battery 4711', 'Straße-nach-München', '(a+)+$[^b]|c\\d{4}', 'İstanbul-gizli', 'ΟΔΟΣ-μυστικό'])(
  'the secret %j is redacted in any case',
  (secret) => {
    const redact = redactor([secret])
    const swapped = [...secret].map((letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase())).join('')
    for (const echoed of [secret, secret.toUpperCase(), secret.toLowerCase()]) expect(redact(`x ${echoed} y`)).toBe('x ••• y')
    if (swapped.length === secret.length) expect(redact(`x ${swapped} y`)).toBe('x ••• y')
    expect('see '.startsWith(redactedStart(`see ${secret.toUpperCase()}`, { complete: false, maxLength: 20 }, [secret]))).toBe(true)
  },
)

test('a short secret, which may be a word, is redacted only in its own case', () => {
  expect(redactor(['Second'])('Second, /second, SECOND')).toBe('•••, /second, SECOND')
})

test('a secret in another case that was encoded is redacted', () => {
  const secret = 'Tell/No one&4711'
  for (const encoded of encodings(secret)) {
    expect(redactor(encodings(secret))(`got ${encoded.toUpperCase()} and ${encoded.toLowerCase()}`)).toBe('got ••• and •••')
  }
})

test('many secrets are redacted as each of them would be', () => {
  const words = [
    'Hunter2',
    'hunter22',
    'ſecret-four',
    'Secret-four',
    'Kelvin-five',
    'öffne-dich',
    'open',
    'sesame seed',
    'aaaa',
    'aaaaaaaa',
  ]
  const others = Array.from({ length: 40 }, (_, i) => `other-secret-${i}`)
  const one = (text: string) =>
    [...words, ...others].toSorted((a, b) => b.length - a.length).reduce((left, secret) => redactor([secret])(left), text)
  const many = redactor([...words, ...others])
  const pieces = [
    ...words,
    ...words.map((word) => word.toUpperCase()),
    ' ',
    'x',
    '•',
    'other-secret-3',
    '\u212aelvin-five',
    'ſECRET-FOUR',
    'İ',
    'ς',
  ]
  for (let seed = 1; seed <= 2000; seed++) {
    const text = Array.from({ length: 6 }, (_, i) => pieces[(seed * (7 + i * i) + i * 13) % pieces.length]).join('')
    expect(many(text)).toBe(one(text))
  }
})

test.each(['a text without any of them', 'a text with the beginning of all of them: other-secret-'])(
  'many secrets are not replaced one by one in %s',
  (text) => {
    const redact = redactor(Array.from({ length: 1000 }, (_, i) => `other-secret-${i}`))
    const replacing = vi.spyOn(RegExp.prototype, Symbol.replace)
    onTestFinished(() => replacing.mockRestore())
    expect(redact(text)).toBe(text)
    expect(replacing).not.toHaveBeenCalled()
  },
)

test('a lone surrogate in a secret is redacted as requests encode it', () => {
  const redact = redactor(encodings('\ud83dhunter2'))
  expect(redact('got \ud83dhunter2, \ufffdhunter2 and %EF%BF%BDhunter2')).toBe('got •••, ••• and •••')
  expect(redact(JSON.stringify('\ud83dhunter2'))).toBe('"•••"')
})

test.each([' ', '\n', '"', "'", '<', '>'])('a text truncated within a percent-encoded word ends before it, after %j', (separator) => {
  const start = (text: string) => redactedStart(text, { complete: false, maxLength: 200 }, ['hunter2'])
  expect(start(`one%20two${separator}three%20fo`)).toBe(`one%20two${separator}`)
  expect(start(`one%20two${separator}three four`)).toBe(`one%20two${separator}thre`)
  expect(start('three%20fo')).toBe('')
  expect(redactedStart(`one%20two${separator}Sesam-%C3%B6ffn`, { complete: false, maxLength: 200 }, ['Sesam-öffne'])).toBe(
    `one%20two${separator}`,
  )
})

test('a complete text is shown to its end, and a longer one up to the limit', () => {
  const options = (complete: boolean, maxLength: number) => ({ complete, maxLength })
  expect(redactedStart('abcdef', options(true, 6), [])).toBe('abcdef')
  expect(redactedStart('abcdef', options(true, 5), [])).toBe('abcde')
  expect(redactedStart('abcdefgh', options(true, 5), [])).toBe('abcde')
  expect(redactedStart('abcdef', options(false, 10), ['hunter2'])).toBe('')
})

test('the truncated end of a text has no part of a secret, and marks where it was', () => {
  expect(redactedEnd('got hunter2 here', 20, ['hunter2'])).toBe('got ••• here')
  expect(redactedEnd('0123456789', 10, [])).toBe('0123456789')
  expect(redactedEnd('0123456789', 9, [])).toBe('…123456789')
  expect(redactedEnd(`${'x'.repeat(30)}0123456789`, 10, ['y'])).toBe('…0123456789')
  expect(redactedEnd('😀😀😀', 3, [])).toBe('…😀')
  const text = `${'a'.repeat(12)}hunter2hunter2-z`
  for (let maxLength = 1; maxLength <= text.length; maxLength++)
    expect(redactedEnd(text, maxLength, ['hunter2hunter2']).replaceAll('•••', '')).not.toMatch(/unter|er2|hu/)
})

test.each([
  ['http://shop.example', true],
  ['https://shop.example:8443/', true],
  ['https://[::1]:8443', true],
  ['https://shop.example/a', false],
  ['https://ann@shop.example', false],
  ['ftp://shop.example', false],
  ['see https://shop.example', false],
])('%s is only an origin: %s', (text, is) => {
  expect(isOriginUrl(text)).toBe(is)
})

test.each([
  ['key', true],
  ['apiKey', true],
  ['keyboard', false],
  ['sig', true],
  ['design', false],
  ['Authorization', true],
  ['credentials', true],
  ['passwd', true],
  ['pwd', true],
  ['client_secret', true],
  ['sessionid', true],
  ['x-signature', true],
  ['csrf-token', true],
  ['page', false],
])('the name %s marks a secret: %s', (name, does) => {
  expect(isSecretName(name)).toBe(does)
})

test('cookie headers of both kinds are secret, and authentication challenges are not', () => {
  expect(['set-cookie2', 'x-set-cookie', 'set-cookies', 'WWW-Authenticate', 'proxy-authenticate'].map(isSecretHeader)).toEqual([
    true,
    false,
    false,
    false,
    true,
  ])
})

test('a secret of sufficient length is redacted in any case', () => {
  for (const secret of ['Abcdefg', 'Abcdefgh', 'Abcdefghi'])
    expect([secret, redactor([secret])(`${secret} ${secret.toUpperCase()}`)]).toEqual([
      secret,
      secret.length < 8 ? `••• ${secret.toUpperCase()}` : '••• •••',
    ])
})
