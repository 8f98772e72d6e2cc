// @slow
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: config files have them
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyRunType, exampleCheck } from '../../../test/support/example-config.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { triesOf } from '../../../test/support/tries.ts'
import type { Mapping } from '../../collections/mapping.ts'
import { openConfigFolder } from './config-folder.ts'
import { parseConfig } from './parse.ts'

type Group = { readonly id: string; readonly defaults?: Mapping; readonly checks: readonly Mapping[] }
type Owner = { readonly defaults?: Mapping; readonly checks: readonly Mapping[]; readonly groups: readonly Group[] }
type Generated = { readonly defaults: Mapping; readonly account: Owner; readonly files: readonly Owner[] }

const types = [anyRunType(0), anyRunType(1)]
const settingsOf = (index: number) => {
  const { name: _, tags: __, frequency: ___, ...rest } = exampleCheck(types[index] ?? anyRunType())
  return rest
}

const fields = fc.record(
  {
    tags: fc.constantFrom(null, [], ['a'], ['b', '${each.x}-tag']),
    locations: fc.constantFrom(null, ['eu'], ['us', 'ap']),
    retry: fc.constantFrom(null, { strategy: 'single' }, { strategy: 'fixed', maxRetries: 3 }),
    timeout: fc.constantFrom(null, '5s', '${T}s'),
    muted: fc.constantFrom(null, true, false),
    frequency: fc.constantFrom('1m', '5m'),
  },
  { requiredKeys: [] },
)
const defaults = fc
  .tuple(fields, fc.array(fc.tuple(fc.constantFrom(0, 1), fields), { maxLength: 2 }))
  .map(([all, byType]) => ({ ...all, ...Object.fromEntries(byType.map(([index, some]) => [types[index]?.type, some])) }))
const forEach = fc.oneof(
  fc.array(fc.constantFrom('p', 'q', 'r'), { minLength: 1, maxLength: 3 }).map((xs) => xs.map((x, i) => ({ x, y: i }))),
  fc.constantFrom({ x: ['p', 'q'], y: [1, 2, 3] }, { y: [7], x: ['z'] }),
)
let serial = 0
const check = fc
  .tuple(fields, fc.constantFrom(0, 1), forEach)
  .map(([own, index, each]) => ({ ...settingsOf(index), ...own, name: `c${serial++} \${each.x} \${each.y}`, forEach: each }))
const group = fc
  .tuple(fc.option(defaults, { nil: undefined }), fc.array(check, { maxLength: 2 }))
  .map(([own, checks]) => ({ id: `g${serial++}`, ...(own && { defaults: own }), checks }))
const owner = fc.record(
  { defaults, checks: fc.array(check, { maxLength: 2 }), groups: fc.array(group, { maxLength: 2 }) },
  { requiredKeys: ['checks', 'groups'] },
)
const generated: fc.Arbitrary<Generated> = fc.record(
  { defaults, account: owner, files: fc.array(owner, { maxLength: 2 }) },
  { requiredKeys: ['defaults', 'account', 'files'] },
)

/** Field by field, from the check outwards, as documented. */
function model({ defaults: top, account, files }: Generated): readonly Mapping[] {
  const expanded: Mapping[] = []
  for (const [one, outer] of [[account, [top]], ...files.map((file) => [file, [account.defaults, top]] as const)] as const) {
    const around = [one.defaults, ...outer]
    for (const each of one.checks) expanded.push(...oneByOne(each, around))
    for (const { defaults: own, checks } of one.groups) for (const each of checks) expanded.push(...oneByOne(each, [own, ...around]))
  }
  return expanded
}

function oneByOne({ forEach: each, ...own }: Mapping, around: readonly (Mapping | undefined)[]): readonly Mapping[] {
  const places = [own, ...around.flatMap((some) => [some?.[String(own.type)] as Mapping | undefined, some])].map((some) => some ?? {})
  const names = ['tags', 'locations', 'retry', 'timeout', 'muted', 'frequency']
  const check: Record<string, unknown> = Object.fromEntries(Object.entries(own).filter(([name]) => !names.includes(name)))
  for (const name of names) {
    const given = places.find((place) => name in place)?.[name]
    if (given !== undefined && given !== null) check[name] = given
  }
  return combinations(each).map((values) => replaced(check, values) as Mapping)
}

function combinations(each: unknown): readonly Mapping[] {
  if (Array.isArray(each)) return each
  let found: readonly Mapping[] = [{}]
  for (const [name, values] of Object.entries(each as Record<string, readonly unknown[]>))
    found = found.flatMap((one) => values.map((value) => ({ ...one, [name]: value })))
  return found
}

function replaced(value: unknown, each: Mapping): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('${each.x}', String(each.x)).replaceAll('${each.y}', String(each.y)))
}

test('defaults, groups, included files and forEach create the same checks as a naive model', () => {
  fc.assert(
    fc.property(generated, (given) => {
      const folder = temporaryFolder()
      mkdirSync(join(folder, 'd'))
      for (const [index, file] of given.files.entries()) writeFileSync(join(folder, 'd', `${index}.yaml`), JSON.stringify(file))
      const text = JSON.stringify({
        ...(given.defaults && { defaults: given.defaults }),
        accounts: [{ id: 'acme', include: ['d/*.yaml'], ...given.account }],
      })
      const parsed = parseConfig(text, { T: '9' }, { folder: openConfigFolder(folder) })
      const expected = model(given).filter(({ frequency }) => frequency !== undefined)
      if ('faults' in parsed || parsed.config.refused.length > 0) {
        const faults = 'faults' in parsed ? parsed.faults : parsed.config.refused
        expect(
          faults.every(({ text: words }) => /frequency is missing|repeats the id/.test(words)),
          JSON.stringify(faults),
        ).toBe(true)
        expect(model(given).length === expected.length && new Set(expected.map(({ name }) => name)).size === expected.length).toBe(false)
      } else expect(parsed.config.checks.map(({ written }) => written)).toEqual(expected)
    }),
    { numRuns: triesOf(200) },
  )
})
