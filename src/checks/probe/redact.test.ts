import { expect, test } from 'vitest'
import { headerSecrets, redactor } from './redact.ts'

test('a secret is hidden whole and in its parts', () => {
  const secrets = headerSecrets({ Authorization: 'Bearer abc.def', Cookie: 'sid=12345; lang=de', Accept: 'application/json' })
  expect(redactor(secrets)('got Bearer abc.def and abc.def, 12345, application/json')).toBe('got ••• and •••, •••, application/json')
})

test('the longer of two secrets is hidden first', () => {
  expect(redactor(['password', 'passwordpassword'])('passwordpassword')).toBe('•••')
})

test('what is too short to be a secret is left alone', () => {
  expect(redactor(['yes', ''])('a yes is a yes')).toBe('a yes is a yes')
})
