import { readAlertHistory } from '../alerts/outbox/alert-history.ts'
import { historyNotes } from '../alerts/replay/history-notes.ts'
import type { ReplayedMessage } from '../alerts/replay/replay.ts'
import { replayPlan } from '../alerts/replay/replay-report.ts'
import { replayStored, type StoredReplay } from '../alerts/replay/replay-stored.ts'
import { buildCatalogue } from '../catalogue/build.ts'
import { readConfig } from '../catalogue/open.ts'
import { openStoreReadOnly } from '../store/open.ts'
import type { Window } from '../store/store.ts'
import { CommandFailure, type Context } from './context.ts'
import { requireData } from './data-folder.ts'
import { resolveAccount } from './remote/resolve-account.ts'

type ReplaySource = { readonly config: string; readonly data: string; readonly account?: string; readonly window: Window }

/** Replays the alert rules of this config file over stored results and returns the messages they would have sent. */
export async function replayFolder({ env }: Context, { config, data, account, window }: ReplaySource): Promise<FolderReplay> {
  requireData(data)
  const parsed = await readConfig(config, env)
  const catalogue = buildCatalogue(parsed, [])
  const owner = catalogue.account(resolveAccount(parsed.accounts, account))
  const policies = catalogue.policies(owner?.id ?? '')
  if (!owner || policies.alerts.length === 0)
    throw new CommandFailure(`${config} has no alert rules for this account. Add some under alerts.`)
  const plan = replayPlan({ account: owner, policies, checks: catalogue.checks(owner.id) })
  const history = readAlertHistory(data, owner.id, window)
  return { messages: messagesIn(data, { plan, history, window }), notes: historyNotes(plan, history, window) }
}

/** `messages` are generated lazily; `notes` are sentences about the limits of the replay. */
type FolderReplay = { readonly messages: AsyncGenerator<ReplayedMessage>; readonly notes: readonly string[] }

async function* messagesIn(data: string, replay: Omit<StoredReplay, 'store'>): AsyncGenerator<ReplayedMessage> {
  const store = openStoreReadOnly(data)
  try {
    yield* replayStored({ ...replay, store })
  } finally {
    await store.close()
  }
}
