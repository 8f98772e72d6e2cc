import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { alertRule } from '../../../test/support/alert-world.ts'
import { openAppStore } from '../../../test/support/app-store.ts'
import { account, testCatalogue, testCheck } from '../../../test/support/catalogue.ts'
import { answers, channelReceiver, testTransport } from '../../../test/support/channels.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { testResult } from '../../../test/support/results.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { Catalogue, Check } from '../../catalogue/catalogue.ts'
import type { AlertRule, Policies } from '../../catalogue/policies/policies.ts'
import type { Announce } from '../../store/listeners.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { inlineWorker, type WorkerHandle } from '../../store/threads/worker.ts'
import { ThreadLost } from '../../threads/thread.ts'
import { channelTypes } from '../channels/registry.ts'
import { type AlertDatabase, openAlertDatabase } from '../outbox/alert-database.ts'
import { backUpAlerts } from '../outbox/alert-file.ts'
import { startAlerts } from './alert-loop.ts'

const minute = 60_000
const noon = Date.UTC(2026, 10, 17, 12)
const check = testCheck(anyRunType(), { id: 'shop', name: 'Shop', locations: ['here'] })

const rule = alertRule({ steps: [{ afterMs: 0, to: ['hook'], during: null, outside: 'hold' }] })

const result = (startedAt: number, hasFailures: boolean) =>
  testResult(check, startedAt, { runLocation: 'here', hasFailures, error: hasFailures ? 'status 503, expected 200' : null })

describe('the alert loop', () => {
  test('notifies a webhook that a check fails, and that it recovered', async () => {
    const { url, received } = await channelReceiver()
    const { store, clock } = await start({ url })
    await store.append([result(noon, true)])
    await expect.poll(() => events(received)).toEqual(['open'])
    expect(received[0]?.body).toContain('status 503, expected 200')
    clock.now += minute
    await store.append([result(clock.now, true)])
    clock.now += minute
    await store.append([result(clock.now, false)])
    await expect.poll(() => events(received)).toEqual(['open', 'close'])
  })

  test('sends nothing again after a restart, and retries what failed before', async () => {
    const { url, received } = await channelReceiver(answers(500), answers(200))
    const first = await start({ url })
    await first.store.append([result(noon, true)])
    await expect.poll(() => received.length).toBe(1)
    await first.close()
    const second = await start({ url, folder: first.folder, store: first.store, now: noon + minute })
    await expect.poll(() => received.length).toBe(2)
    expect(idOf(received[1])).toBe(idOf(received[0]))
    await expect.poll(async () => (await second.notified())[0]?.open).toEqual(['shop'])
    await second.close()
    const third = await start({ url, folder: first.folder, store: first.store, now: noon + 2 * minute })
    await third.store.append([result(noon + 2 * minute, false)])
    await expect.poll(() => events(received)).toEqual(['open', 'open', 'close'])
  })

  test('reports in one message what began and ended while the channel was unavailable', async () => {
    const { url, received } = await channelReceiver(answers(500), answers(200))
    const { store, clock, settled } = await start({ url })
    await store.append([result(noon, true)])
    await expect.poll(() => received.length).toBe(1)
    clock.now += minute
    await store.append([result(clock.now, false)])
    await expect.poll(() => events(received), { timeout: 15_000 }).toEqual(['open', 'missed'])
    await settled()
  })

  test('reports a broken channel to the fallback, and to operators', async () => {
    const broken = await channelReceiver(answers(410))
    const fallback = await channelReceiver()
    const { store, alerts } = await start({ url: broken.url, fallback: fallback.url })
    await store.append([result(noon, true)])
    await expect.poll(() => fallback.received.length).toBe(1)
    expect(events(fallback.received)).toEqual(['channelBroken'])
    const health = () => alerts.health(account).map(({ channel, state }) => [channel, state])
    await expect.poll(health).toEqual([
      ['hook', 'broken'],
      ['fallback', 'ok'],
    ])
    expect(broken.received).toHaveLength(1)
  })

  test('knows after a restart that a channel is broken, until it accepts a message', async () => {
    const { url, received } = await channelReceiver(answers(410), answers(200))
    const first = await start({ url })
    await first.store.append([result(noon, true)])
    const states = (alerts: typeof first.alerts) => alerts.health(account).map(({ channel, state, since }) => [channel, state, since])
    await expect.poll(() => states(first.alerts)).toEqual([['hook', 'broken', noon]])
    await first.close()
    const second = await start({ url, folder: first.folder, store: first.store, now: noon + minute })
    expect(states(second.alerts)).toEqual([['hook', 'broken', noon]])
    expect(second.alerts.stats().broken.map(({ channel }) => channel)).toEqual(['hook'])
    await second.close()
    const third = await start({ url, folder: first.folder, store: first.store, now: noon + 61 * minute })
    await expect.poll(() => received.length).toBe(2)
    await expect.poll(() => states(third.alerts)).toEqual([['hook', 'ok', noon + 61 * minute]])
  })

  test('holds back what begins during a silence, until it ends', async () => {
    const { url, received } = await channelReceiver()
    const { store, clock, alerts } = await start({ url })
    const silence = await alerts.silence({ account, checks: [], tags: [], from: noon, to: noon + 60 * minute, by: 'me', comment: '' })
    await store.append([result(noon, true)])
    await expect.poll(async () => (await incidents(alerts)).length).toBe(1)
    expect(received).toHaveLength(0)
    clock.now += minute
    await store.append([result(clock.now, true)])
    expect(await alerts.endSilence(account, silence.id)).toBe(true)
    await expect.poll(() => events(received)).toEqual(['open'])
  })

  test('sends nothing again from a restored backup of the data folder', async () => {
    const { url, received } = await channelReceiver()
    const first = await start({ url })
    await first.store.append([result(noon, true)])
    await expect.poll(async () => (await first.notified())[0]?.open).toEqual(['shop'])
    const restored = temporaryFolder()
    await backUpAlerts(first.folder, restored)
    await first.close()
    const second = await start({ url, folder: restored, store: first.store, now: noon + minute })
    await second.store.append([result(noon + minute, false)])
    await expect.poll(() => events(received)).toEqual(['open', 'close'])
  })

  test('looks up results that were skipped because other processes stored more than can be read', async () => {
    const { url, received } = await channelReceiver()
    const clock = { now: noon }
    const own = await openAppStore({ clock: () => clock.now })
    onTestFinished(() => own.close())
    const listeners = new Set<Announce>()
    const onAppended: typeof own.onAppended = (_, announce) => {
      listeners.add(announce)
      return () => listeners.delete(announce)
    }
    const { clock: started } = await start({ url, store: { ...own, onAppended } })
    await own.append([result(noon, true)])
    for (const announce of listeners) announce([result(noon, true)])
    await expect.poll(() => events(received)).toEqual(['open'])
    clock.now += minute
    started.now = clock.now
    await own.append([result(clock.now, false)])
    const skipped = { results: 1, byCheck: new Map([[check.id, { from: clock.now, to: clock.now }]]) }
    for (const announce of listeners) announce([], skipped)
    await expect.poll(() => events(received)).toEqual(['open', 'close'])
  })

  test('acknowledges an incident once', async () => {
    const { url, received } = await channelReceiver()
    const { store, alerts } = await start({ url })
    await store.append([result(noon, true)])
    await expect.poll(() => received.length).toBe(1)
    const [found] = await incidents(alerts)
    const id = found?.incident.id ?? ''
    const changes: string[] = []
    alerts.onEvent(account, (event) => event.kind === 'incident' && changes.push(event.change))
    expect((await alerts.acknowledge(account, id, 'me'))?.acknowledged).toEqual({ at: noon, by: 'me' })
    expect((await alerts.acknowledge(account, id, 'you'))?.acknowledged).toEqual({ at: noon, by: 'me' })
    expect(await alerts.acknowledge('other', id, 'me')).toBeNull()
    expect(changes).toEqual(['acknowledged'])
  })

  test('keeps an acknowledgement at the moment of a recovery, and the recovery', async () => {
    const { url, received } = await channelReceiver()
    const { store, alerts, clock } = await start({ url })
    await store.append([result(noon, true)])
    await expect.poll(() => received.length).toBe(1)
    const [found] = await incidents(alerts)
    clock.now += minute
    await Promise.all([store.append([result(clock.now, false)]), alerts.acknowledge(account, found?.incident.id ?? '', 'me')])
    await expect.poll(async () => (await incidents(alerts))[0]?.incident.closedAt).not.toBeNull()
    expect((await incidents(alerts))[0]?.incident.acknowledged).toMatchObject({ by: 'me' })
  })
})

test('a decision that was written before its thread crashed is not repeated', async () => {
  const { url, received } = await channelReceiver()
  const folder = temporaryFolder()
  const whole = inlineWorker(openAlertDatabase({ directory: folder }))
  let losses = 2
  const database: typeof whole = {
    ...whole,
    async call(name, ...rest) {
      const answer = await whole.call(name, ...rest)
      if (name === 'commit' && losses-- > 0) throw new StoreUnavailable('lost', 5, { cause: new ThreadLost('lost') })
      return answer
    },
  }
  const first = await start({ url, folder, database })
  await first.store.append([result(noon, true)])
  await expect.poll(() => events(received), { timeout: 15_000 }).toEqual(['open'])
  expect(await incidents(first.alerts)).toHaveLength(1)
  // A message whose delivery is not recorded is sent again.
  await first.settled()
  await first.close()
  await whole.close()
  const second = await start({ url, folder, store: first.store, now: noon + minute })
  await second.store.append([result(noon + minute, false)])
  await expect.poll(() => events(received)).toEqual(['open', 'close'])
  expect((await incidents(second.alerts)).map(({ incident }) => incident.closedAt)).toEqual([noon + minute])
})

test('a server stops though the last reports of agents cannot be recorded', async () => {
  const { url } = await channelReceiver()
  const folder = temporaryFolder()
  const whole = inlineWorker(openAlertDatabase({ directory: folder }))
  let [isFull, tries] = [false, 0]
  const database: typeof whole = {
    ...whole,
    async call(name, ...rest) {
      if (!isFull || name !== 'recordAgents') return whole.call(name, ...rest)
      tries++
      throw new StoreUnavailable('the disk is full', 5)
    },
  }
  const { alerts, clock, close } = await start({ url, folder, database })
  const sighting = { account, location: 'here', instance: 'a', name: 'a', session: '1', isStopped: false, agoMs: 0 }
  await alerts.hearAgents([sighting])
  clock.now += 15_000
  await alerts.hearAgents([sighting])
  isFull = true
  await close()
  expect(tries).toBe(1)
  await whole.close()
})

test('states that cannot be read at a start are retried until they can', async () => {
  const { url, received } = await channelReceiver()
  const first = await start({ url, alerts: [] })
  await first.store.append([result(noon, true)])
  let failures = 2
  const store: typeof first.store = {
    ...first.store,
    async latest(...args) {
      if (failures-- > 0) throw new StoreUnavailable('overloaded', 5)
      return first.store.latest(...args)
    },
  }
  await start({ url, store, now: noon + minute })
  await expect.poll(() => events(received), { timeout: 15_000 }).toEqual(['open'])
})

test('a check whose results cannot be read does not keep the states of others from being read', async () => {
  const { url, received } = await channelReceiver()
  const damaged = testCheck(anyRunType(), { id: 'damaged', name: 'Damaged', locations: ['here'] })
  const checks = [damaged, check]
  const first = await start({ url, checks, alerts: [] })
  await first.store.append([testResult(damaged, noon, { runLocation: 'here', hasFailures: true }), result(noon, true)])
  const store: typeof first.store = {
    ...first.store,
    async results(query) {
      if (query.check.checkId === 'damaged') throw new Error('its results are damaged')
      return first.store.results(query)
    },
  }
  await start({ url, store, checks, now: noon + minute })
  await expect.poll(() => titles(received)).toEqual(['Shop is failing'])
})

test('no location counts as silent while the states of its checks are being read, even if those of an added check are known', async () => {
  const { url, received } = await channelReceiver()
  const watched = { ...check, createdAt: noon - 60 * minute, agentLocations: ['here'] }
  const added = testCheck(anyRunType(), { id: 'added', name: 'Added', locations: ['there'], createdAt: noon })
  const silent = { url, alerts: [{ ...rule, when: { kind: 'silent' } as const }], checks: [watched] }
  const first = await start({ ...silent, alerts: [] })
  await first.store.append([result(noon + 19 * minute, false)])
  let read = () => {}
  const store: typeof first.store = {
    ...first.store,
    async latest(...args) {
      if (args[0].some(({ checkId }) => checkId === watched.id))
        await new Promise<void>((resolve) => {
          read = resolve
        })
      return first.store.latest(...args)
    },
  }
  const { alerts, clock, reload, reviewed } = await start({ ...silent, store })
  reload({ ...silent, checks: [watched, added] })
  for (let passed = 0; passed < 20; passed++) {
    await alerts.hearAgents([{ account, location: 'here', instance: 'a', name: 'a', session: '1', isStopped: false, agoMs: 0 }])
    await first.store.append([testResult(added, clock.now, { runLocation: 'there' })])
    await reviewed()
    clock.now += minute
  }
  read()
  const states = async () => (await alerts.explain(account, check.id))[0]?.reasons.map(({ text }) => text)
  await expect.poll(states).toContain('here: the condition does not hold.')
  expect(await incidents(alerts)).toEqual([])
  expect(received).toEqual([])
})

test('a check whose results cannot be read does not affect others when their results are skipped', async () => {
  const { url, received } = await channelReceiver()
  const damaged = testCheck(anyRunType(), { id: 'damaged', name: 'Damaged', locations: ['here'] })
  const checks = [damaged, check]
  const first = await start({ url, checks, alerts: [] })
  await first.store.append([testResult(damaged, noon, { runLocation: 'here', hasFailures: true })])
  const listeners = new Set<Announce>()
  let [reads, isDamaged] = [0, false]
  const store: typeof first.store = {
    ...first.store,
    onAppended(_, listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async results(query) {
      if (query.check.checkId === 'damaged') reads++
      if (query.check.checkId !== 'damaged' || !isDamaged) return first.store.results(query)
      throw new Error('its results are damaged')
    },
  }
  const skip = (id: string) => {
    for (const announce of listeners) announce([], { results: 1, byCheck: new Map([[id, { from: noon, to: noon }]]) })
  }
  await start({ url, store, checks })
  await expect.poll(() => titles(received)).toEqual(['Damaged is failing'])
  isDamaged = true
  const readBefore = reads
  skip('damaged')
  await expect.poll(() => reads).toBeGreaterThan(readBefore)
  await first.store.append([result(noon, true)])
  skip('shop')
  await expect.poll(() => titles(received), { timeout: 15_000 }).toEqual(['Damaged is failing', 'Shop is failing'])
}, 20_000)

describe('a reload of the config file', () => {
  const other = testCheck(anyRunType(), { id: 'other', name: 'Other', locations: ['here'], tags: ['other'], everyMs: 24 * 60 * minute })

  test('that adds a rule reports checks that already fail, even if no rule covered them before', async () => {
    const { url, received } = await channelReceiver()
    const watched = { url, checks: [check, other], alerts: [{ ...rule, checks: ['shop'] }] }
    const first = await start(watched)
    await first.store.append([testResult(other, noon, { runLocation: 'here', hasFailures: true })])
    await first.close()
    const second = await start({ ...watched, folder: first.folder, store: first.store, now: noon + minute })
    second.reload({ checks: [check, other] })
    await expect.poll(() => events(received)).toEqual(['open'])
  })

  test('sends waiting messages at once only if the settings of their channel have changed', async () => {
    const { url, received } = await channelReceiver(answers(500), answers(200))
    const { store, reload, alerts, reviewed } = await start({ url })
    await store.append([result(noon, true)])
    const attempts = async () => (await alerts.deliveries({ ...all, channel: null, hasFailures: null })).map((each) => each.attempts)
    await expect.poll(attempts).toEqual([1])
    reload({ checks: [check, other] })
    await reviewed()
    reload({ checks: [check, other], headers: { 'x-team': 'shop' } })
    await expect.poll(() => received.length).toBe(2)
    expect(received[1]?.headers['x-team']).toBe('shop')
  })

  test('that removes the last check of an account closes its incidents', async () => {
    const { url, received } = await channelReceiver()
    const { store, reload, clock } = await start({ url })
    await store.append([result(noon, true)])
    await expect.poll(() => events(received)).toEqual(['open'])
    clock.now += minute
    reload({ checks: [] })
    await expect.poll(() => events(received)).toEqual(['open', 'close'])
  })

  test('that removes a failing check and adds it again reports it again, with the start of its outage', async () => {
    const { url, received } = await channelReceiver()
    const { store, reload, clock, alerts } = await start({ url, checks: [check, other] })
    await store.append([testResult(other, noon, { runLocation: 'here', hasFailures: true })])
    await expect.poll(() => events(received)).toEqual(['open'])
    clock.now += minute
    reload({ checks: [check] })
    await expect.poll(() => events(received)).toEqual(['open', 'close'])
    clock.now += minute
    reload({ checks: [check, other] })
    await expect.poll(() => events(received)).toEqual(['open', 'close', 'open'])
    expect((await incidents(alerts))[0]?.incident.members[0]?.since).toBe(noon)
  })
})

test('an agent that falls silent is reported, also after a restart; one that stopped is not', async () => {
  const { url, received } = await channelReceiver()
  const silent = { alerts: [{ ...rule, when: { kind: 'silent' } as const }], checks: [{ ...check, agentLocations: ['here'] }] }
  const sighting = (instance: string, isStopped = false) => ({
    ...{ account, location: 'here', instance, name: instance, session: '1', isStopped, agoMs: 0 },
  })
  const first = await start({ url, ...silent })
  await first.store.append([result(noon, false)])
  await first.alerts.hearAgents([sighting('gone'), sighting('ended')])
  await first.alerts.hearAgents([sighting('ended', true)])
  await first.close()
  const second = await start({ url, ...silent, folder: first.folder, store: first.store, now: noon + minute })
  const passMinute = async () => {
    second.clock.now += minute
    await second.store.append([result(second.clock.now, false)])
    await second.alerts.hearAgents([sighting('here')])
    return titles(received)
  }
  await expect.poll(passMinute).toEqual(['Agent gone of here is silent: no results from it'])
  await second.alerts.hearAgents([sighting('gone')])
  await expect.poll(() => titles(received)[1]).toContain('Agent gone of here is no longer silent')
  expect((await second.alerts.explain(account, check.id))[0]?.reasons.map(({ text }) => text).sort()).toEqual([
    'Agent gone of here: the condition does not hold.',
    'Agent here of here: the condition does not hold.',
    'here: the condition does not hold.',
  ])
})

test('an unknown check or account has no explanation', async () => {
  const { url } = await channelReceiver()
  const { alerts } = await start({ url })
  expect(await alerts.explain(account, check.id)).toHaveLength(1)
  expect(await alerts.explain(account, 'none')).toEqual([])
  expect(await alerts.explain('none', check.id)).toEqual([])
})

const titles = (received: readonly Received[]): readonly string[] => received.map(({ body }) => JSON.parse(body).data.title)

type Received = Awaited<ReturnType<typeof channelReceiver>>['received'][number]

const events = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body).type.replace('alert.', ''))
const idOf = (request: Received | undefined) => request?.headers['webhook-id']

const all = { account, from: 0, to: noon + 1000 * minute, limit: 10, offset: 0 }

const incidents = (alerts: Awaited<ReturnType<typeof startAlerts>>) => alerts.incidents({ ...all, isOpen: null, checkId: null })

type Setting = {
  readonly url: string
  readonly fallback?: string
  readonly folder?: string
  readonly store?: Awaited<ReturnType<typeof openAppStore>>
  readonly now?: number
  readonly alerts?: readonly AlertRule[]
  readonly checks?: readonly Check[]
  readonly database?: WorkerHandle<AlertDatabase>
}

type Configured = Pick<Setting, 'alerts' | 'checks'> & { readonly headers?: Readonly<Record<string, string>> }

async function start({ url, fallback, folder = temporaryFolder(), store: given, now = noon, ...more }: Setting) {
  const clock = { now }
  const store = given ?? (await openAppStore({ clock: () => clock.now }))
  const channel = (id: string, to: string) => ({ id, type: 'webhook', settings: { url: to }, secrets: [] })
  const channels = [channel('hook', url), ...(fallback ? [channel('fallback', fallback)] : [])]
  const catalogueOf = ({ alerts = [rule], checks = [check], headers }: Configured): Catalogue => {
    const policies: Partial<Policies> = {
      alerts,
      channels: channels.map((each) => ({ ...each, settings: { ...each.settings, ...(headers && { headers }) } })),
    }
    return testCatalogue({ checks, policies })
  }
  const catalogue = { ...catalogueOf(more) }
  const onChange = new Set<() => void>()
  const alerts = await startAlerts({
    directory: folder,
    catalogue,
    store,
    channelTypes,
    transport: testTransport({ now: () => clock.now }),
    now: () => clock.now,
    log: pino({ level: 'silent' }),
    publicUrl: () => 'https://tidemark.example',
    onConfigChange(listener) {
      onChange.add(listener)
      return () => onChange.delete(listener)
    },
    measureBurn: async () => null,
    inline: true,
    ...(more.database && { database: more.database }),
  })
  let isClosed = false
  const close = async () => {
    if (!isClosed) await alerts.close()
    isClosed = true
  }
  onTestFinished(close)
  if (!given) onTestFinished(() => store.close())
  return {
    alerts,
    store,
    clock,
    folder,
    close,
    reload(changed: Configured) {
      Object.assign(catalogue, catalogueOf(changed))
      for (const listener of onChange) listener()
    },
    notified: async () => (await incidents(alerts))[0]?.notified ?? [],
    settled: () => expect.poll(() => alerts.stats().waiting).toBe(0),
    /** Resolves once everything is decided that was under way: an acknowledgement waits for its turn. */
    async reviewed() {
      for (let turn = 0; turn < 2; turn++) await alerts.acknowledge(account, 'none', 'me')
    },
  }
}
