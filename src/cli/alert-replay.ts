import { randomUUID } from 'node:crypto'
import { channelTypes } from '../alerts/channels/registry.ts'
import type { MessageLinks } from '../alerts/decide/input.ts'
import { planAlerts } from '../alerts/decide/plan.ts'
import { type ReplayedMessage, replayAlerts } from '../alerts/replay/replay.ts'
import { buildCatalogue } from '../catalogue/build.ts'
import { type Check, refOf } from '../catalogue/catalogue.ts'
import { readConfig } from '../catalogue/open.ts'
import { openStoreReadOnly } from '../store/open.ts'
import type { FiledResult, Result, Store, Window } from '../store/store.ts'
import { dayMs, hourMs } from '../time.ts'
import { CommandFailure, type Context } from './context.ts'
import { requireData } from './data-folder.ts'
import { resolveAccount } from './remote/resolve-account.ts'

export type ReplaySource = { readonly config: string; readonly data: string; readonly account?: string; readonly window: Window }

/** So much earlier results show how things stood at the start. */
const leadMs = dayMs

/** What channels would have been told in a window, had the rules of this config file been in force; from the results of a data folder. */
export async function* replayFolder({ env }: Context, { config, data, account, window }: ReplaySource): AsyncGenerator<ReplayedMessage> {
  requireData(data)
  const parsed = await readConfig(config, env)
  const catalogue = buildCatalogue(parsed, [])
  const owner = catalogue.account(resolveAccount(parsed.accounts, account))
  const policies = catalogue.policies(owner?.id ?? '')
  if (!owner || policies.alerts.length === 0)
    throw new CommandFailure(`${config} has no alert rules for this account. Add some under alerts.`)
  const repeatEveryMs = (type: string) => channelTypes.find((each) => each.type === type)?.repeatEveryMs ?? null
  const plan = planAlerts({ account: owner, policies, checks: catalogue.checks(owner.id), repeatEveryMs })
  const covered = catalogue.checks(owner.id).filter(({ id }) => plan.rulesOf.has(id))
  const store = openStoreReadOnly(data)
  try {
    const results = inOrder(store, covered, { from: window.from - leadMs, to: window.to })
    yield* replayAlerts({ plan, results, ...window, newId: randomUUID, links: noLinks })
  } finally {
    await store.close()
  }
}

const noLinks: MessageLinks = {
  incident: () => ({ incident: null, acknowledge: null }),
  check: () => ({ check: null, run: null }),
}

/** The results of many checks, oldest first: an hour of them at a time, and a batch of each check, are in memory. */
async function* inOrder(store: Pick<Store, 'scan'>, checks: readonly Check[], window: Window): AsyncGenerator<readonly FiledResult[]> {
  const cursors = checks.map((check) => cursorOf(check, store.scan(refOf(check), window)))
  for (let from = window.from; from <= window.to; from += hourMs) {
    const rows = (await Promise.all(cursors.map((cursor) => cursor.until(from + hourMs)))).flat()
    if (rows.length > 0) yield rows.sort((a, b) => a.result.startedAt - b.result.startedAt)
  }
}

function cursorOf(check: Check, batches: AsyncIterable<readonly Result[]>) {
  const iterator = batches[Symbol.asyncIterator]()
  let buffer: readonly Result[] = []
  let isDone = false
  return {
    /** Those that started before an instant and were not returned yet. */
    async until(instant: number): Promise<readonly FiledResult[]> {
      while (!isDone && (buffer.at(-1)?.startedAt ?? Number.NEGATIVE_INFINITY) < instant) {
        const { value, done } = await iterator.next()
        if (done) isDone = true
        else buffer = [...buffer, ...value]
      }
      const end = buffer.findIndex(({ startedAt }) => startedAt >= instant)
      const taken = end === -1 ? buffer : buffer.slice(0, end)
      buffer = end === -1 ? [] : buffer.slice(end)
      return taken.map((result) => ({ check: refOf(check), result }))
    },
  }
}
