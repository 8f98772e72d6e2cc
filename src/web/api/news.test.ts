import { expect, test } from 'vitest'
import type { CheckStatus } from './answers.ts'
import { areSameChecks, createNewsReader, mostStreamed, nothingWatched, streamQuery, type Watched } from './news.ts'

const status = (locations: Readonly<Record<string, string>>, name = 'Shop') =>
  ({
    name,
    locations: Object.entries(locations).map(([runLocation, state]) => ({ runLocation, state })),
  }) as unknown as CheckStatus
const states = new Map([['shop', status({ eu: 'passing', us: 'failing' })]])
const result = (runLocation: string, more: object = {}) => ({
  event: 'result',
  data: JSON.stringify({ checkId: 'shop', runLocation, hasFailures: false, isDegraded: false, ...more }),
})
const event = (name: string) => ({ event: name, data: '{}' })
const all: Watched = { checks: 'all', alerts: true }

test('a result changes states if its outcome differs from the last one of its location', () => {
  const isChange = (...sent: Parameters<typeof result>) => createNewsReader()(result(...sent), all, states).isChange
  expect([isChange('eu'), isChange('us')]).toEqual([false, true])
  expect([isChange('eu', { hasFailures: true }), isChange('us', { hasFailures: true })]).toEqual([true, false])
  expect(isChange('eu', { isDegraded: true })).toBe(true)
  expect(isChange('ap')).toBe(true)
  expect(isChange('eu', { checkId: 'new' })).toBe(true)
  expect(createNewsReader()(result('eu'), all, undefined).isChange).toBe(true)
})

test('a state that does not follow from the results is polled once', () => {
  const read = createNewsReader()
  const failure = result('eu', { hasFailures: true })
  expect([failure, failure, result('eu'), result('eu')].map((each) => read(each, all, states).isChange)).toEqual([true, false, true, false])
})

test('an event is relevant if the view shows it', () => {
  const isNews = (name: string, watched: Watched) =>
    createNewsReader()(name === 'result' ? result('eu') : event(name), watched, states).isNews
  const one = { checks: new Set(['shop']), alerts: false }
  expect(['result', 'alert', 'delivery'].map((name) => isNews(name, all))).toEqual([true, true, true])
  expect(['result', 'alert', 'delivery'].map((name) => isNews(name, one))).toEqual([true, false, false])
  expect(['result', 'alert', 'delivery'].map((name) => isNews(name, nothingWatched))).toEqual([false, false, false])
})

test('a reset, or a new stream after the first, may have missed anything', () => {
  const read = createNewsReader()
  const anything = { isNews: true, isChange: true }
  const nothing = { isNews: false, isChange: false }
  const tidings = ['open', 'ping', 'open', 'reset'].map((name) => read(event(name), all, states))
  expect(tidings).toEqual([nothing, nothing, anything, anything])
})

test('added, removed or renamed checks are noticed', () => {
  expect(areSameChecks(states, new Map([['shop', status({})]]))).toBe(true)
  for (const other of [new Map(), new Map([['shop', status({}, 'Store')]]), new Map([['blog', status({})]])])
    expect(areSameChecks(states, other)).toBe(false)
  expect(areSameChecks(states, new Map([...states, ['blog', status({})]]))).toBe(false)
})

test('in a large account only shown results are streamed', () => {
  const two = { checks: new Set(['a', 'b']), alerts: false }
  expect(streamQuery(two, mostStreamed)).toBe('events=results,alerts')
  expect(streamQuery(two, mostStreamed + 1)).toBe('events=results,alerts&checkId=a,b')
  expect([all, nothingWatched].map((watched) => streamQuery(watched, mostStreamed + 1))).toEqual(['events=alerts', 'events=alerts'])
})
