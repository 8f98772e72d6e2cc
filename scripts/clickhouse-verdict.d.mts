export type TestRun = { readonly status: number; readonly isStopped: boolean; readonly failed: readonly string[] }
export type Verdict = { readonly passed: boolean; readonly fails: boolean; readonly words: string }
export function verdictOf(run: TestRun, engine?: { readonly isTrial?: boolean; readonly mustFinish?: boolean }): Verdict
