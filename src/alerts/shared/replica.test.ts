import { describe, expect, onTestFinished, test } from 'vitest'
import { memoryCoordination } from '../../../test/support/memory-coordination.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { RowStore, VersionedRow } from '../../store/coordination.ts'
import { inlineWorker } from '../../store/threads/worker.ts'
import { exampleMessage } from '../channels/example-message.ts'
import type { Delivery, Incident, Silence } from '../decide/model.ts'
import { emptyChange } from '../loop/account-alerts.ts'
import type { ChannelHealth, DeliveryAttempt } from '../outbox/alert-records.ts'
import { openSharedAlertDatabase } from '../outbox/shared-alert-database.ts'
import { createReplica, type Leading } from './replica.ts'

const now = Date.UTC(2026, 10, 17, 12)
const silence = (id: string): Silence => ({
  id,
  account: 'acme',
  checks: [],
  tags: [],
  from: now,
  to: now + 3_600_000,
  by: 'ann',
  comment: '',
})
const incident = (id: string, more: Partial<Incident> = {}): Incident => ({
  id,
  account: 'acme',
  rule: 'down',
  key: id,
  condition: 'failing',
  severity: 'critical',
  openedAt: now,
  closedAt: null,
  acknowledged: null,
  members: [],
  ...more,
})
const delivery = (id: string, incidentId: string): Delivery => ({
  message: exampleMessage('open', { id, now }),
  channel: 'hook',
  incident: incidentId,
  notifiedAfter: {
    incident: incidentId,
    channel: 'hook',
    open: ['shop'],
    flapping: [],
    firstAt: null,
    lastAt: null,
    reminders: 0,
    dropped: false,
  },
  decidedAt: now,
})
const commit = (change: object) => [{ name: 'commit', args: [{ ...emptyChange, account: 'acme', now, ...change }] }]
const delivered = (sent: Delivery) => [
  {
    name: 'recordAttempt',
    args: [
      { account: 'acme', delivery: sent, at: now, outcome: 'delivered', answer: '200', nextAt: null } satisfies DeliveryAttempt,
      sent.notifiedAfter,
      { account: 'acme', channel: 'hook', state: 'ok', since: now, answer: '200', lastAt: now } satisfies ChannelHealth,
    ],
  },
]

/** Writes block while `state.isHeld` is set. */
function memoryRows() {
  const { coordination, rows } = memoryCoordination()
  const held: (() => void)[] = []
  const state = { isHeld: false }
  const store: RowStore = {
    ...coordination.rows,
    async write(written) {
      if (state.isHeld) await new Promise<void>((resolve) => held.push(resolve))
      await coordination.rows.write(written)
    },
  }
  return { store, state, held, rows }
}

function process(rows: RowStore, directory = temporaryFolder()) {
  const database = inlineWorker(openSharedAlertDatabase({ directory }))
  onTestFinished(() => database.close())
  const applied: VersionedRow[] = []
  const replica = createReplica({
    database,
    rows,
    now: () => now,
    onApplied: async (news) => void applied.push(...news),
    onFailure: (error) => expect(error).toBeUndefined(),
  })
  const contents = async () => ({ ...(await database.call('summary', [now])), ...(await database.call('load', [now])) })
  return { ...replica, applied, database, contents }
}

function leadingIn(term: number) {
  const [lost, stop] = [new AbortController(), new AbortController()]
  const leading: Leading = { term, isValid: () => !lost.signal.aborted, signal: lost.signal, stopping: stop.signal }
  return { leading, lose: () => lost.abort(), stop: () => stop.abort() }
}

describe('a copy of alerts', () => {
  test('has what the leader wrote: incidents, messages, notifications, silences, channels and the secret', async () => {
    const { store } = memoryRows()
    const [leader, follower] = [process(store), process(store)]
    const { leading } = leadingIn(1)
    await leader.begin(leading)
    const secret = await leader.write([{ name: 'secret', args: [] }], leading)
    const [first, second] = [delivery('m1', 'i1'), delivery('m2', 'i2')]
    await leader.write(commit({ incidents: [incident('i1'), incident('i2')], deliveries: [first, second] }), leading)
    await leader.write(delivered(first), leading)
    await leader.write([{ name: 'putSilence', args: [silence('s1'), now] }], leading)
    await leader.write([{ name: 'putSilence', args: [silence('s2'), now] }], leading)
    expect(await leader.write([{ name: 'endSilence', args: ['acme', 's1', now] }], leading)).toBe(true)
    expect(await leader.write([{ name: 'endSilence', args: ['acme', 's1', now] }], leading)).toBe(false)
    await follower.catchUp()
    const seen = await follower.contents()
    expect(seen).toEqual(await leader.contents())
    expect(seen).toMatchObject({
      secret,
      silences: [{ id: 's2' }],
      inFlight: [{ delivery: { incident: 'i2' } }],
      notified: [{ incident: 'i1' }],
    })
    expect(seen.incidents).toHaveLength(2)
    expect(await process(store).catchUp()).toBe(follower.position())
  })

  test('a new leader goes on where the last one ended, and what comes later of that one counts nowhere', async () => {
    const { store, state, held } = memoryRows()
    const [first, second, follower] = [process(store), process(store), process(store)]
    const before = leadingIn(1)
    await first.begin(before.leading)
    await first.write(commit({ incidents: [incident('i1')], deliveries: [delivery('m1', 'i1')] }), before.leading)
    state.isHeld = true
    const late = first.write(
      commit({ incidents: [incident('late'), incident('i1', { acknowledged: { at: now, by: 'late' } })] }),
      before.leading,
    )
    await expect.poll(() => held.length).toBe(1)
    state.isHeld = false
    const after = leadingIn(2)
    await second.begin(after.leading)
    await follower.catchUp()
    expect(follower.applied.map(({ kind }) => kind)).toEqual(['incidents', 'deliveries'])
    before.lose()
    await expect(late).rejects.toThrow('no longer leads')
    for (const land of held) land()
    await second.write([{ name: 'putSilence', args: [silence('s1'), now] }], after.leading)
    const expected = await second.contents()
    expect(expected.incidents).toEqual([incident('i1')])
    for (const copy of [first, follower, process(store)]) {
      await copy.catchUp()
      expect(await copy.contents()).toEqual(expected)
    }
  })

  test('one that applied what does not count reads all again', async () => {
    const { store, state, held } = memoryRows()
    const [first, second, follower] = [process(store), process(store), process(store)]
    const before = leadingIn(1)
    await first.begin(before.leading)
    await first.write(commit({ incidents: [incident('i1')] }), before.leading)
    state.isHeld = true
    first.write(commit({ incidents: [incident('late')] }), before.leading).catch(() => {})
    await expect.poll(() => held.length).toBe(1)
    await second.catchUp()
    for (const land of held.splice(0)) land()
    state.isHeld = false
    before.lose()
    await follower.catchUp()
    expect((await follower.contents()).incidents).toHaveLength(2)
    // The second leader had read the rows before the late one arrived.
    const blind = process({
      ...store,
      after: async (version, limit) => (await store.after(version, limit)).filter(({ key }) => !key.includes('late')),
    })
    await blind.begin(leadingIn(2).leading)
    await follower.catchUp()
    expect((await follower.contents()).incidents).toEqual([incident('i1')])
  })

  test('the first leader brings along what its folder has, and other folders have that then', async () => {
    const { store } = memoryRows()
    const [a, b] = [process(store), process(store)]
    for (const [copy, id] of [
      [a, 'mine'],
      [b, 'other'],
    ] as const)
      await copy.database.call('commit', [
        { ...emptyChange, account: 'acme', now, incidents: [incident(id, { closedAt: now })], finished: [id] },
      ])
    await b.catchUp()
    await a.begin(leadingIn(1).leading)
    await b.catchUp()
    const query = { account: 'acme', from: 0, to: now + 1, isOpen: null, checkId: null, limit: 10, offset: 0 }
    for (const copy of [a, b]) expect((await copy.database.call('incidents', [query])).map((each) => each.incident.id)).toEqual(['mine'])
  })

  test('processes may have the same folder', async () => {
    const { store } = memoryRows()
    const folder = temporaryFolder()
    const [leader, follower] = [process(store, folder), process(store, folder)]
    await follower.catchUp()
    const { leading } = leadingIn(1)
    await leader.begin(leading)
    for (const id of ['s1', 's2', 's3']) {
      await leader.write([{ name: 'putSilence', args: [silence(id), now] }], leading)
      await follower.catchUp()
    }
    expect((await follower.contents()).silences.map(({ id }) => id)).toEqual(['s1', 's2', 's3'])
    expect(await follower.contents()).toEqual(await leader.contents())
  })

  test('a row that was written although it seemed to fail is written again as it was', async () => {
    const { store, rows } = memoryRows()
    let failures = 1
    const flaky: RowStore = {
      ...store,
      async write(written) {
        await store.write(written)
        if (written.some(({ kind }) => kind === 'incidents') && failures-- > 0) throw new Error('the connection was lost')
      },
    }
    const database = inlineWorker(openSharedAlertDatabase({ directory: temporaryFolder() }))
    onTestFinished(() => database.close())
    const leader = createReplica({ database, rows: flaky, now: () => now, onApplied: async () => {}, onFailure: () => {} })
    const { leading } = leadingIn(1)
    await leader.begin(leading)
    await leader.write(commit({ incidents: [incident('i1')] }), leading)
    expect(failures).toBe(-1)
    expect(rows().filter(({ kind }) => kind === 'incidents')).toHaveLength(1)
  })

  test('a leader whose own folder is full for a while applies what it wrote once it can, and writes nothing else before', async () => {
    const { store, rows } = memoryRows()
    const whole = inlineWorker(openSharedAlertDatabase({ directory: temporaryFolder() }))
    onTestFinished(() => whole.close())
    let failures = 0
    const full: typeof whole = {
      ...whole,
      async call(name, ...rest) {
        if (name === 'applyRows' && failures-- > 0) throw new Error('database or disk is full')
        return whole.call(name, ...rest)
      },
    }
    const failed: unknown[] = []
    const leader = createReplica({
      database: full,
      rows: store,
      now: () => now,
      onApplied: async () => {},
      onFailure: (error) => failed.push(error),
    })
    const { leading, stop } = leadingIn(1)
    await leader.begin(leading)
    failures = 1
    const writes = ['i1', 'i2'].map((id) => leader.write(commit({ incidents: [incident(id)] }), leading))
    await Promise.all(writes)
    expect(failed).toHaveLength(1)
    expect((await whole.call('load', [now])).incidents.map(({ id }) => id)).toEqual(['i1', 'i2'])
    expect(rows().flatMap(({ kind, key }) => (kind === 'incidents' ? key : []))).toEqual(['["i1"]', '["i2"]'])
    failures = Number.POSITIVE_INFINITY
    const last = leader.write(commit({ incidents: [incident('i3')] }), leading)
    await expect.poll(() => failed.length).toBeGreaterThan(1)
    stop()
    await expect(last).rejects.toThrow('disk is full')
  })
})
