import type { TestRun } from './clickhouse-verdict.mjs'

export type RunOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly stopAt?: number
  readonly isBackground?: boolean
  readonly holdsOutput?: boolean
}
export function vitest(args: readonly string[], options?: RunOptions): Promise<TestRun>
