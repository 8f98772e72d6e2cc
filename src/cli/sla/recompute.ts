import { selects } from '../../catalogue/policies/policies.ts'
import { CommandFailure } from '../context.ts'
import type { Remote } from '../remote/remote.ts'
import { type CollectedCheck, collectCheck, collectMaintenance, listChecks } from './collect.ts'
import type { Sheet, SheetCheck } from './sheet-schema.ts'
import type { Recomputed } from './verify.ts'

/** Fetches all data of a sheet again from a running server. */
export async function recompute(remote: Remote, sheet: Sheet): Promise<Recomputed> {
  const listed = await listChecks(remote)
  const checks = new Map<string, SheetCheck | { readonly problem: string }>()
  for (const { id } of sheet.checks) {
    const check = listed.find((one) => one.id === id)
    if (check) checks.set(id, await recomputeCheck(remote, check, sheet))
  }
  const maintenance = await collectMaintenance(
    remote,
    sheet.window,
    sheet.checks.map(({ id }) => id),
  )
  return { selected: selectedThen(listed, sheet), checks, maintenance }
}

/** If the server rejects a request for one check, the problem is recorded and the other checks are still compared. */
async function recomputeCheck(remote: Remote, check: CollectedCheck, sheet: Sheet): Promise<SheetCheck | { readonly problem: string }> {
  try {
    return await collectCheck(remote, check, sheet)
  } catch (error) {
    if (error instanceof CommandFailure) return { problem: error.message }
    throw error
  }
}

/** Leaves out checks created after the sheet. A check on the sheet may have a later creation time if the store was restored. */
export function selectedThen(listed: readonly CollectedCheck[], { selection, generatedAt, checks }: Sheet): readonly string[] {
  const onSheet = new Set(checks.map(({ id }) => id))
  const existed = listed.filter(({ id, created_at }) => created_at <= generatedAt || onSheet.has(id))
  return existed.filter((check) => selects(selection, check)).map(({ id }) => id)
}
