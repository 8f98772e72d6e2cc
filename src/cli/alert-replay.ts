import type { ReplayedMessage } from '../alerts/replay/replay.ts'
import { configuredPlan } from '../alerts/replay/replay-report.ts'
import { replayStored } from '../alerts/replay/replay-stored.ts'
import { buildCatalogue } from '../catalogue/build.ts'
import { readConfig } from '../catalogue/open.ts'
import { openStoreReadOnly } from '../store/open.ts'
import type { Window } from '../store/store.ts'
import { CommandFailure, type Context } from './context.ts'
import { requireData } from './data-folder.ts'
import { resolveAccount } from './remote/resolve-account.ts'

export type ReplaySource = { readonly config: string; readonly data: string; readonly account?: string; readonly window: Window }

/** What channels would have been told in a window, had the rules of this config file been in force; from the results of a data folder. */
export async function* replayFolder({ env }: Context, { config, data, account, window }: ReplaySource): AsyncGenerator<ReplayedMessage> {
  requireData(data)
  const parsed = await readConfig(config, env)
  const catalogue = buildCatalogue(parsed, [])
  const owner = catalogue.account(resolveAccount(parsed.accounts, account))
  const policies = catalogue.policies(owner?.id ?? '')
  if (!owner || policies.alerts.length === 0)
    throw new CommandFailure(`${config} has no alert rules for this account. Add some under alerts.`)
  const plan = configuredPlan({ account: owner, policies, checks: catalogue.checks(owner.id) })
  const store = openStoreReadOnly(data)
  try {
    yield* replayStored({ plan, store, window })
  } finally {
    await store.close()
  }
}
