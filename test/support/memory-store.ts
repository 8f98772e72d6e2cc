import { derivedId } from '../../src/store/identity.ts'
import type { CheckRef, FiledResult, Latest, Result, Store } from '../../src/store/store.ts'

type Filed = { readonly check: CheckRef; readonly result: Result }

export type MemoryStore = Pick<Store, 'append' | 'latest'> & {
  readonly filed: Filed[]
  results(checkId: string): readonly Result[]
}

/** Keeps results as long as the test lasts, each id once. */
export function memoryStore(): MemoryStore {
  const filed: Filed[] = []
  const results = (checkId: string) => filed.filter(({ check }) => check.checkId === checkId).map(({ result }) => result)

  async function append(given: readonly FiledResult[]): Promise<readonly boolean[]> {
    return given.map(({ check, result }) => {
      const id = result.id ?? derivedId(check, result.runLocation, result.startedAt)
      const isNew = !filed.some((one) => one.result.id === id)
      if (isNew) filed.push({ check, result: { ...result, id } })
      return isNew
    })
  }

  function latest({ checkId }: { readonly checkId: string }): Latest | undefined {
    const known = [...results(checkId)].sort((a, b) => a.startedAt - b.startedAt)
    const byLocation = new Map(known.map((result) => [result.runLocation, result]))
    return known.length === 0 ? undefined : { byLocation: [...byLocation.values()] }
  }

  return { append, latest, filed, results }
}
