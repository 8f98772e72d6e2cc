import { toResult } from '../../src/store/embedded/stored-result.ts'
import type { FiledResult, Latest, Result, Store } from '../../src/store/store.ts'

export type MemoryStore = Pick<Store, 'append' | 'latest'> & {
  readonly filed: FiledResult[]
  results(checkId: string): readonly Result[]
}

/** Keeps results as long as the test lasts, each id once. */
export function memoryStore(): MemoryStore {
  const filed: FiledResult[] = []
  const results = (checkId: string) =>
    filed.filter(({ check }) => check.checkId === checkId).map(({ check, result }) => toResult(check, result))

  async function append(given: readonly FiledResult[]): Promise<readonly boolean[]> {
    return given.map((one) => {
      const isNew = !filed.some(({ result }) => result.id === one.result.id)
      if (isNew) filed.push(one)
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
