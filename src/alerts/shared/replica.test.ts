import { describe, expect, onTestFinished, test } from 'vitest'
import { memoryCoordination } from '../../../test/support/memory-coordination.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { RowStore, VersionedRow } from '../../store/coordination.ts'
import { inlineWorker } from '../../store/threads/worker.ts'
import { exampleMessage } from '../channels/example-message.ts'
import type { Delivery, Incident, Silence } from '../decide/model.ts'
import { emptyChange } from '../loop/account-alerts.ts'
import { openAlertFile } from '../outbox/alert-file.ts'
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
  const lost = new AbortController()
  const leading: Leading = { term, isValid: () => !lost.signal.aborted, signal: lost.signal }
  return { leading, lose: () => lost.abort() }
}

describe('a replica of alerts', () => {
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

  test('continues with a new leader, and ignores later writes of the last one', async () => {
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

  test('reads everything again if it has applied ignored rows', async () => {
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

  test('receives what the folder of the first leader has', async () => {
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

  test('the first leader writes what its folder has in pages that fit into memory, however long its rows are', async () => {
    const { store, rows } = memoryRows()
    const pages: number[] = []
    const leader = process({
      ...store,
      async write(written) {
        pages.push(written.length)
        await store.write(written)
      },
    })
    const incidents = Array.from({ length: 12 }, (_, i) => incident(`i${i}`, { key: 'x'.repeat(2 ** 20), closedAt: now }))
    const change = { ...emptyChange, account: 'acme', now, incidents, finished: incidents.map(({ id }) => id) }
    await leader.database.call('commit', [change])
    await leader.begin(leadingIn(1).leading)
    expect(rows().filter(({ kind }) => kind === 'incidents')).toHaveLength(12)
    expect(Math.max(...pages)).toBeLessThan(10)
  })

  test('may share its folder with another process', async () => {
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

  test('writes a row again unchanged if its write succeeded but seemed to fail', async () => {
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

  test('as the leader first applies rows that it could not apply before', async () => {
    const { store, rows } = memoryRows()
    const database = inlineWorker(openSharedAlertDatabase({ directory: temporaryFolder() }))
    onTestFinished(() => database.close())
    let failures = 0
    const call = async (name: string, args: readonly unknown[]) => {
      if (name === 'applyRows' && failures-- > 0) throw new Error('the disk is full')
      return database.call(name as 'load', args as [number])
    }
    const flaky = { ...database, call: call as typeof database.call }
    const leader = createReplica({ database: flaky, rows: store, now: () => now, onApplied: async () => {}, onFailure: () => {} })
    const follower = process(store)
    const { leading } = leadingIn(1)
    await leader.begin(leading)
    failures = 1
    await leader.write(commit({ incidents: [incident('i1')] }), leading)
    expect(failures).toBe(-1)
    await follower.catchUp()
    await leader.write(commit({ incidents: [incident('i2')] }), leading)
    await follower.catchUp()
    const versions = rows().map(({ version }) => version)
    expect(versions).toEqual([...new Set(versions)])
    const expected = (await database.call('load', [now])).incidents
    expect(expected).toHaveLength(2)
    expect((await follower.contents()).incidents).toEqual(expected)
  })

  test('in an empty folder gets all rows, even those of a term whose record has expired', async () => {
    const { store } = memoryRows()
    const leader = process(store)
    const [before, after] = [leadingIn(1), leadingIn(2)]
    await leader.begin(before.leading)
    const incidents = Array.from({ length: 1500 }, (_, i) => incident(`i${i}`, { closedAt: now }))
    await leader.write(commit({ incidents, finished: incidents.map(({ id }) => id) }), before.leading)
    await leader.begin(after.leading)
    const isExpired = ({ kind, key }: VersionedRow) => kind === 'terms' && key === '1'
    const expired: RowStore = {
      ...store,
      after: async (version, limit) => (await store.after(version, limit + 1)).filter((row) => !isExpired(row)).slice(0, limit),
      ofKind: async (kind) => (await store.ofKind(kind)).filter((row) => !isExpired(row)),
    }
    let reads = 0
    const counted: RowStore = {
      ...expired,
      async after(version, limit) {
        if (++reads > 100) throw new Error('it reads the same rows again and again')
        return expired.after(version, limit)
      },
    }
    const empty = process(counted)
    expect(await empty.catchUp()).toBe(leader.position())
    const query = { account: 'acme', from: 0, to: now + 1, isOpen: null, checkId: null, limit: 2000, offset: 0 }
    expect(await empty.database.call('incidents', [query])).toHaveLength(1500)
  })

  test('skips rows of a kind that only a newer version knows, and reads all rows again once it knows them', async () => {
    const { store } = memoryRows()
    const directory = temporaryFolder()
    const [leader, follower] = [process(store), process(store, directory)]
    const { leading } = leadingIn(1)
    await leader.begin(leading)
    await leader.write([{ name: 'putSilence', args: [silence('s1'), now] }], leading)
    await store.write([{ kind: 'newer', key: '["a"]', version: leader.position() + 1, expiresAt: null, body: '{"a":1}' }])
    expect(await follower.catchUp()).toBe(leader.position() + 1)
    expect((await follower.contents()).silences.map(({ id }) => id)).toEqual(['s1'])
    await follower.begin(leadingIn(2).leading)

    const positionAfter = (statement: string) => {
      const file = openAlertFile(directory)
      file.exec(statement)
      file.close()
      return process(store, directory).database.call('position', [])
    }
    expect(await positionAfter('DELETE FROM silences')).toBeGreaterThan(0)
    expect(await positionAfter("UPDATE skipped SET kind = 'silences'")).toBe(0)
    const updated = process(store, directory)
    await updated.catchUp()
    expect((await updated.contents()).silences.map(({ id }) => id)).toEqual(['s1'])
    expect(await positionAfter('')).toBeGreaterThan(0)
  })

  test('in an empty folder reads past more ignored rows than fit one batch', async () => {
    const { store } = memoryRows()
    const [first, second] = [process(store), process(store)]
    const before = leadingIn(1)
    await first.begin(before.leading)
    await first.write(commit({ incidents: [incident('i1')] }), before.leading)
    await second.begin(leadingIn(2).leading)
    const late = Array.from({ length: 1500 }, (_, i) => `late-${i}`)
    const from = first.position()
    await store.write(late.map((key, i) => ({ kind: 'silences', key, version: from + 1 + i, expiresAt: null, body: '{}' })))
    let reads = 0
    const empty = process({
      ...store,
      async after(version, limit) {
        if (++reads > 100) throw new Error('it reads the same rows again and again')
        return store.after(version, limit)
      },
    })
    expect(await empty.catchUp()).toBe(second.position())
    expect((await empty.contents()).incidents).toEqual([incident('i1')])
  })
})
