import { expect, test } from 'vitest'
import { views } from './views.ts'
import { inSentence, wordsOf } from './words.ts'

test.each([
  ['statusCode', 'Status code'],
  ['skipTls', 'Skip TLS'],
  ['urlPath', 'URL path'],
  ['ipFamily', 'IP family'],
  ['jsonBody', 'JSON body'],
  ['dnsIdHttpSsl', 'DNS ID HTTP SSL'],
  ['idea', 'Idea'],
])('%s is %s', (name, words) => {
  expect(wordsOf(name)).toBe(words)
})

test('a label within a sentence', () => {
  expect(['Status code', 'JSON body', 'A label', 'x', ''].map(inSentence)).toEqual(['status code', 'JSON body', 'a label', 'x', ''])
})

test.each([
  ['/', 'Checks'],
  ['/checks/a', 'Checks'],
  ['/new', 'Checks'],
  ['/deleted', 'Checks'],
  ['/overview', 'Overview'],
  ['/wall', 'Overview'],
  ['/outages', 'Outages'],
  ['/alerts/x', 'Alerts'],
  ['/slos', 'SLOs'],
  ['/locations', 'Locations'],
  ['/audit', 'Audit'],
  ['/newer', undefined],
])('%s belongs to the view %s', (path, name) => {
  const within = views.filter((view) => view.within.test(path))
  expect(within.map((view) => view.name)).toEqual(name === undefined ? [] : [name])
  for (const view of views) expect(view.within.test(view.href)).toBe(true)
})
