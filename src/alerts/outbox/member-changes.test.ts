import { describe, expect, test } from 'vitest'
import type { Incident, Member } from '../decide/model.ts'
import { changesIn, compareChanges } from './member-changes.ts'

const member = (checkId: string | null, openedAt: number, closedAt: number | null) =>
  ({ subject: checkId ?? 'the location eu', checkId, openedAt, closedAt }) as Member
const incident = (id: string, ...members: readonly Member[]) => ({ id, members }) as unknown as Incident
const always = { from: 0, to: 1000, checkId: null }

describe('changes of members', () => {
  test('are those of checks, with their index among the members', () => {
    const found = changesIn(incident('a', member(null, 1, 2), member('shop', 3, null)), always)
    expect(found).toEqual([{ incident: 'a', place: 1, subject: 'shop', kind: 'opened', at: 3 }])
  })

  test('are those within a window, including its start and excluding its end', () => {
    const found = changesIn(incident('a', member('shop', 9, 10), member('cart', 10, 19), member('search', 19, 20)), {
      ...always,
      from: 10,
      to: 20,
    })
    expect(found.map(({ subject, kind, at }) => [subject, kind, at])).toEqual([
      ['shop', 'closed', 10],
      ['cart', 'closed', 19],
      ['cart', 'opened', 10],
      ['search', 'opened', 19],
    ])
  })

  test('can be limited to one check', () => {
    const found = changesIn(incident('a', member('shop', 1, null), member('cart', 2, null)), { ...always, checkId: 'cart' })
    expect(found.map(({ place }) => place)).toEqual([1])
  })

  test('are ordered by time, newest first, then by incident, subject and kind', () => {
    const found = [
      ...changesIn(incident('b', member('shop', 5, 5), member('cart', 5, null)), always),
      ...changesIn(incident('a', member('shop', 5, 7)), always),
    ]
    expect(found.toSorted(compareChanges).map(({ incident, subject, kind }) => [incident, subject, kind])).toEqual([
      ['a', 'shop', 'closed'],
      ['a', 'shop', 'opened'],
      ['b', 'cart', 'opened'],
      ['b', 'shop', 'closed'],
      ['b', 'shop', 'opened'],
    ])
  })
})
