import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { watchCanaries } from './canaries.ts'
import type { ReachReport } from './reachability.ts'

const place = (location: string) => ({ account: 'acme', location })

/** Canary probes that the test ends. */
function open(locations: readonly string[]) {
  const probes: { readonly target: string; readonly end: (isReached: boolean | null) => void }[] = []
  const reports: ReachReport[] = []
  const ofAgents: ReachReport[] = []
  const watch = watchCanaries({
    by: 'this',
    own: () => locations.map((location) => ({ account: 'acme', canary: { location, targets: [`${location}:443`] } })),
    reach: ([target = '']) => new Promise((end) => probes.push({ target, end })),
    ofAgents: (at) => (at ? ofAgents.filter(({ location }) => location === at.location) : ofAgents),
    report: async (found) => void reports.push(...found),
    onFailure: (error) => expect(error).toBeUndefined(),
    againMs: 0,
  })
  onTestFinished(async () => {
    const closed = watch.close()
    for (const { end } of probes) end(null)
    await closed
  })
  const found = () => reports.map(({ location, by, isReached }) => `${by} ${location} ${isReached}`)
  return { watch, probes, reports, ofAgents, found }
}

test('many canaries are probed a few at a time', async () => {
  const { probes, found } = open(Array.from({ length: 25 }, (_, i) => `l${i}`))
  await expect.poll(() => probes.length).toBe(10)
  for (let i = 0; i < 25; i++) {
    probes[i]?.end(true)
    await expect.poll(() => probes.length).toBe(Math.min(25, 11 + i))
  }
  await expect.poll(() => found().length).toBe(25)
})

test('the canaries of a location where a check begins to fail are probed at once, even during other probes', async () => {
  const { watch, probes, found, reports } = open(['eu', 'us'])
  await expect.poll(() => probes.length).toBe(2)
  watch.hurry(place('eu'))
  await expect.poll(() => probes.length).toBe(3)
  expect(probes[2]?.target).toBe('eu:443')
  await setImmediate()
  probes[2]?.end(false)
  await expect.poll(found).toEqual(['this eu false'])
  expect(reports[0]?.agoMs).toBeGreaterThan(0)
  await expect.poll(() => probes.length).toBe(4)
  probes[3]?.end(true)
  await expect.poll(found).toEqual(['this eu false', 'this eu true'])
})

test('nothing is probed for a location whose checks are run by agents', async () => {
  const { watch, probes } = open(['eu'])
  await expect.poll(() => probes.length).toBe(1)
  watch.hurry(place('us'))
  watch.hurry(place('eu'))
  await expect.poll(() => probes.map(({ target }) => target)).toEqual(['eu:443', 'eu:443'])
})

test('probes by agents are reported at once', async () => {
  const { watch, ofAgents, found } = open([])
  await setImmediate()
  ofAgents.push({ ...place('eu'), by: 'agent', isReached: false, agoMs: 5 }, { ...place('us'), by: 'other', isReached: true, agoMs: 5 })
  watch.hearAgent(place('eu'))
  await expect.poll(found).toEqual(['agent eu false'])
})
