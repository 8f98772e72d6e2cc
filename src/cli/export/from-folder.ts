import type { Inventory } from '../../catalogue/inventory.ts'
import { readInventory } from '../../catalogue/open.ts'
import { exported } from '../../ingest/export.ts'
import type { FileFormat } from '../../ingest/file-rows.ts'
import { history, type PastCheck } from '../../prometheus/history.ts'
import { storedChecks } from '../../store/embedded/read-only.ts'
import { openStoreReadOnly } from '../../store/open.ts'
import type { Window } from '../../store/store.ts'
import { findConfiguredCheck } from '../configured-check.ts'
import { CommandFailure, type Context } from '../context.ts'
import { failCommand, requireData } from '../data-folder.ts'
import { resolveAccount } from '../remote/resolve-account.ts'

export const exportFormats = ['ndjson', 'csv', 'openmetrics'] as const satisfies readonly (FileFormat | 'openmetrics')[]
export type ExportFormat = (typeof exportFormats)[number]

/** Exports all checks if `check` is missing. */
export type ExportSource = {
  readonly check?: string
  readonly window: Window
  readonly format: ExportFormat
  readonly config: string
  readonly data: string
  readonly key?: string
  readonly account?: string
}

export async function fromFolder({ env }: Context, source: ExportSource): Promise<AsyncIterable<string>> {
  const { config, data, window, format } = source
  requireData(data)
  const inventory = await readInventory(config, env)
  const account = resolveAccount(inventory.accounts, source.account)
  const stored = opening(() => storedChecks(data))
    .filter((check) => check.account === account)
    .map(({ checkId }) => checkId)
  const chosen = choose(inventory, { account, stored, source })
  const store = opening(() => openStoreReadOnly(data))
  return (async function* () {
    try {
      if (format === 'openmetrics') return yield* history(chosen, ({ id }) => store.scan({ account, checkId: id }, window))
      for (const { id, checkType } of chosen) yield* exported(store, { check: { account, checkId: id }, checkType, window, format })
    } finally {
      await store.close()
    }
  })()
}

type Choice = { readonly account: string; readonly stored: readonly string[]; readonly source: ExportSource }

function choose(inventory: Inventory, { account, stored, source: { check, config, format } }: Choice): readonly PastCheck[] {
  const own = inventory.checks.filter((one) => one.account === account)
  const byId = (id: string): PastCheck => ({ id, checkType: own.find((one) => one.id === id)?.checkType ?? null })
  if (check === undefined) return stored.map(byId)
  const isRemoved = stored.includes(check) && own.every(({ id, name }) => id !== check && name !== check)
  if (!isRemoved) return [findConfiguredCheck(inventory, check, { account, config })]
  if (format === 'csv')
    throw new CommandFailure(`${check} is no longer configured, so the columns of a table are unknown. Leave out --format csv.`)
  return [byId(check)]
}

function opening<T>(open: () => T): T {
  try {
    return open()
  } catch (error) {
    return failCommand(error)
  }
}
