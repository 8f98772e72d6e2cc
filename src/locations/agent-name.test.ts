import { expect, test } from 'vitest'
import { isAgentName } from './agent-name.ts'

test.each(['probe-1.example.com', 'Rack 7, Zürich', '探針', 'a', 'a'.repeat(128)])('%s is a valid name of an agent', (text) => {
  expect(isAgentName(text)).toBe(true)
})

test.each(['', ' ', ' a', 'a ', 'a\nb', 'a\u001b[31m', 'a'.repeat(129)])('%j is rejected', (text) => {
  expect(isAgentName(text)).toBe(false)
})
