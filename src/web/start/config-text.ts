import type { CheckType } from '../api/answers.ts'

/** A config file with one check of the account. */
export function configText(account: string, example: string): string {
  const entry = example
    .trimEnd()
    .split('\n')
    .map((line) => `      ${line}`)
  return ['accounts:', `  - id: ${account}   # keep its keys`, '    checks:', ...entry, ''].join('\n')
}

/** The type to start with: the shortest example without files, preferably with phases. */
export function simplest(types: readonly CheckType[]): CheckType | undefined {
  const alone = types.filter(({ files }) => files.length === 0)
  const phased = alone.filter(({ phases }) => phases.length > 0)
  return (phased.length > 0 ? phased : alone).toSorted((a, b) => a.example.length - b.example.length)[0]
}
