import { expect, test } from 'vitest'
import { isFollowed, probedTarget } from './relabel.ts'

const toTarget = { source_labels: ['__address__'], target_label: '__param_target' }
const toName = { source_labels: ['__param_target'], target_label: 'instance' }
const toExporter = { target_label: '__address__', replacement: '127.0.0.1:9115' }

const braced = `$\{1}`

const probed = (rules: readonly object[], __param_target: string | null = null) =>
  probedTarget(rules as never, { __address__: 'example.com', __param_target })

test('the address is probed with the usual rules, and without rules', () => {
  expect(probed([toTarget, toName, toExporter])).toBe('example.com')
  expect(probed([])).toBe('example.com')
})

test.each([
  [{ replacement: 'https://$1/health' }, 'https://example.com/health'],
  [{ regex: '(.*)', replacement: `https://${braced}:8443` }, 'https://example.com:8443'],
  [{ regex: '(.*)(:80)?', replacement: braced }, 'example.com'],
  [{ replacement: 'fixed' }, 'fixed'],
])('a rule adds text around the address: %j', (more, target) => {
  expect(probed([{ ...toTarget, ...more }, toName, toExporter])).toBe(target)
  expect(isFollowed({ ...toTarget, ...more })).toBe(true)
})

test('the whole address is replaced with fixed text without a group, as the exporter is in older examples', () => {
  const exporter = { source_labels: [], regex: '.*', target_label: '__address__', replacement: '127.0.0.1:9115' }
  expect(isFollowed(exporter)).toBe(true)
  expect(probed([toTarget, toName, exporter])).toBe('example.com')
  expect(probed([{ ...toTarget, regex: '.*', replacement: 'fixed' }, exporter])).toBe('fixed')
  expect(isFollowed({ ...toTarget, regex: '.*' })).toBe(false)
})

test('rules apply to the result of earlier ones', () => {
  const around = { source_labels: ['__param_target'], target_label: '__param_target', replacement: '$1/health' }
  expect(probed([toTarget, around, toExporter])).toBe('example.com/health')
})

test('a target in the parameters is probed, unless a rule replaces it', () => {
  expect(probed([], 'https://example.org')).toBe('https://example.org')
  expect(probed([toTarget], 'https://example.org')).toBe('example.com')
})

test.each([
  { regex: '([^:]*):.*' },
  { regex: '(.*)\\.example\\.com', replacement: '$1' },
  { replacement: '$2' },
  { replacement: '$10' },
  { action: 'lowercase' },
  { source_labels: ['__meta_x'] },
  { source_labels: ['__address__', 'path'] },
  { target_label: 'path' },
])('any other rule is not supported: %j', (more) => {
  expect(isFollowed({ ...toTarget, ...more })).toBe(false)
  expect(probed([{ ...toTarget, ...more }])).toBe('example.com')
})
