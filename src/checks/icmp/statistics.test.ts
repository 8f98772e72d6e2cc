import { expect, test } from 'vitest'
import { packetCounts, pingStatistics } from './statistics.ts'

const reply = (sequence: number, ms: number) => `64 bytes from 192.0.2.1: icmp_seq=${sequence} ttl=57 time=${ms} ms`
const output = (...lines: readonly string[]) => lines.join('\n')
const none = { latencyMin: null, latencyMax: null, latencyAvg: null, latencyStdDev: null }

test.each([
  ['nothing', '', 4, { packetLoss: 100, ...none }],
  ['no reply', '4 packets transmitted, 0 received', 4, { packetLoss: 100, ...none }],
  ['fewer sent than asked for', output(reply(1, 2), '2 packets transmitted, 1 received'), 10, { packetLoss: 50 }],
  ['none sent, it says', output(reply(1, 2), '0 packets transmitted'), 4, { packetLoss: 75 }],
  ['more replies than sent', output(reply(1, 2), reply(2, 4), '1 packets transmitted'), 1, { packetLoss: 0 }],
  ['one reply twice', output(reply(1, 2), reply(1, 8), '1 packets transmitted'), 1, { packetLoss: 0, latencyMax: 2 }],
  ['replies', output(reply(1, 2), reply(2, 8)), 2, { packetLoss: 0, latencyMin: 2, latencyMax: 8, latencyAvg: 5, latencyStdDev: 3 }],
  ['a time below one', '64 bytes from a: seq=0 ttl=1 time<1 ms', 1, { packetLoss: 0, latencyAvg: 1 }],
  [
    'a summary',
    output(reply(1, 2), 'rtt min/avg/max/mdev = 1.5/2.5/3.5/0.5 ms'),
    1,
    { latencyMin: 1.5, latencyAvg: 2.5, latencyMax: 3.5, latencyStdDev: 0.5 },
  ],
  ['a summary without a reply', 'round-trip min/avg/max/stddev = 1/2/3/4 ms', 1, { packetLoss: 100, ...none }],
  ['a short summary', output(reply(1, 2), 'rtt min/avg/max/mdev = 1/2/3 ms'), 1, { latencyMax: 2 }],
  ['a long summary', output(reply(1, 2), 'rtt min/avg/max/mdev = 1/2/3/4/5 ms'), 1, { latencyMax: 2 }],
  ['an odd summary', output(reply(1, 2), 'rtt min/avg/max/mdev = 1/2/3/4.5.6 ms'), 1, { latencyMax: 2 }],
])('%s', (_, text, count, expected) => {
  expect(pingStatistics(text, count)).toMatchObject(expected)
})

test('packets are counted', () => {
  expect(packetCounts(output(reply(1, 2), reply(3, 2), '5 packets transmitted'), 9)).toEqual({ sent: 5, received: 2 })
  expect(packetCounts('', 9)).toEqual({ sent: 9, received: 0 })
})
