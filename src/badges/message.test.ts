import { describe, expect, test } from 'vitest'
import { stateMessage, tallyMessage } from './message.ts'

describe('the message of a badge', () => {
  test('of a check is its state, then its mean response time if there is one', () => {
    expect(stateMessage('passing', null)).toEqual({ message: 'passing', tone: 'passing' })
    expect(stateMessage('failing', 230.7)).toEqual({ message: 'failing | 231 ms', tone: 'failing' })
  })

  test('of several checks is how many of them are passing', () => {
    expect(tallyMessage(['passing', 'passing'])).toEqual({ message: '2/2 passing', tone: 'passing' })
  })

  test('of several checks has the tone of the worst', () => {
    expect(tallyMessage(['passing', 'unknown', 'degraded', 'failing'])).toEqual({ message: '1/4 passing', tone: 'failing' })
    expect(tallyMessage(['passing', 'unknown', 'degraded'])).toEqual({ message: '1/3 passing', tone: 'degraded' })
    expect(tallyMessage(['passing', 'unknown'])).toEqual({ message: '1/2 passing', tone: 'unknown' })
  })

  test('ignores paused checks, unless all are paused', () => {
    expect(tallyMessage(['passing', 'paused'])).toEqual({ message: '1/1 passing', tone: 'passing' })
    expect(tallyMessage(['paused', 'paused'])).toEqual({ message: 'paused', tone: 'paused' })
  })
})
