import type { DefinitionFault } from '../checks/wire-reader.ts'
import { createTimedTurns } from '../concurrency/turns.ts'
import { ApiError } from '../errors.ts'
import type { DocumentChange } from '../store/documents/documents.ts'

/** A check that was not changed, and why. */
type FailedChange = { readonly id: string; readonly faults: readonly DefinitionFault[] }

export type Changer<Planned extends { readonly change: DocumentChange }> = {
  /** Null if nothing would change. */
  readonly plan: (id: string) => Planned | null
  /** Writes all or none; false if another writer changed one of them. */
  readonly write: (planned: readonly Planned[]) => Promise<boolean>
  /** False if nothing changed. */
  readonly changeOne: (id: string) => Promise<boolean>
}

const changedAtOnce = 200
/** Failures listed in a response. */
const maxFailed = 1000
const maxFaults = 5

/** Changes checks in batches, skipping those that cannot be changed: `failures` counts them, `failed` lists the first. */
export async function changeMany<Planned extends { readonly change: DocumentChange }>(ids: readonly string[], changer: Changer<Planned>) {
  const failed: FailedChange[] = []
  const pause = createTimedTurns()
  let [changed, failures] = [0, 0]

  function collect(id: string, problem: unknown): void {
    if (!(problem instanceof ApiError)) throw problem
    const faults = problem.faults ?? [{ pointer: '', message: problem.message }]
    if (failures++ < maxFailed) failed.push({ id, faults: faults.slice(0, maxFaults) })
  }

  async function planSome(some: readonly string[]): Promise<readonly Planned[]> {
    const planned: Planned[] = []
    for (const id of some) {
      try {
        const one = changer.plan(id)
        if (one) planned.push(one)
      } catch (problem) {
        collect(id, problem)
      }
      const next = pause()
      if (next) await next
    }
    return planned
  }

  /** False if one of them cannot be written. */
  const isWritten = (planned: readonly Planned[]) =>
    changer.write(planned).catch((problem) => {
      if (problem instanceof ApiError) return false
      throw problem
    })

  async function changeEach(planned: readonly Planned[]): Promise<void> {
    for (const { change } of planned) {
      try {
        if (await changer.changeOne(change.id)) changed++
      } catch (problem) {
        collect(change.id, problem)
      }
    }
  }

  for (let from = 0; from < ids.length; from += changedAtOnce) {
    const planned = await planSome(ids.slice(from, from + changedAtOnce))
    if (planned.length === 0) continue
    if (await isWritten(planned)) changed += planned.length
    else await changeEach(planned)
  }
  return { changed, failures, failed }
}
