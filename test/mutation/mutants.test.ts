// @slow
import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { triesOf } from '../support/tries.ts'
import { instrument } from './instrument.ts'
import { type Mutant, mutantsIn, mutatedFolders, sourcesIn } from './mutants.ts'
import { sample } from './sample.ts'
import { parse } from './syntax.ts'

test.each([
  ['a < b', ['a <= b']],
  ['a >= b', ['a > b']],
  ['x = a === b', ['', 'a !== b']],
  ['x = a + b', ['', 'a - b']],
  ['x = a % b', ['', 'a * b']],
  ['x += a', ['', 'x -= a']],
  ['x ??= a', ['', 'x = a']],
  ['i++', ['i--']],
  ['x = !a', ['', 'a']],
  ['x = true', ['', 'false']],
  ['x = a && b', ['', '(a) || (b)']],
  ['x = a ?? b', ['', 'a']],
  ["x = 'a'", ['', "''"]],
  ["x = ''", ['', "'mutant'"]],
  ['x = `a`', ['', "''"]],
  ['x = [a]', ['', '[]']],
  ['x = { a }', ['', '{}']],
  ['x = a?.b.c', ['', 'a.b.c']],
  ['x = a?.[0]?.()', ['', 'a?.[0]()', 'a[0]?.()']],
  ['x = a ? b : c', ['', 'true', 'false']],
  ['if (a < b) f()', ['true', 'false', 'a <= b', '']],
  ['while (a) f()', ['false', '']],
  ['async () => await f()', ['f()']],
  ['() => f()', ['undefined']],
  ['function f() { return a }', ['undefined']],
  ['x = a.filter(f)', ['', 'a']],
  ['x = Math.min(a, b)', ['', 'Math.max(a, b)']],
  ['if (a) throw b', ['true', 'false', '']],
] as const)('%s has a mutant for each applicable operator', (source, replacements) => {
  expect(mutantsIn('a.ts', source).map(({ replacement }) => replacement)).toEqual(replacements)
})

test.each([
  "import a from 'a'",
  "type A = 'a' | 'b'",
  'const bytes = 64 * 1024',
  'const bytes = 8 * 2 ** 20',
  "log.warn({ a: 'b' }, 'c')",
  "console.error('a')",
  'timer.unref()',
  "const problem = new Error('a')",
  'const problem = new RangeError(`a`)',
  'const x = undefined as string | undefined',
])('%s has no mutant', (source) => {
  expect(mutantsIn('a.ts', source)).toEqual([])
})

test('mutants outside of functions are active while the module is loaded', () => {
  const source = "const names = ['a']\nclass C { f() { return 'b' } }\nconst g = () => ['c']\nfunction h() { f('d') }"
  const outside = mutantsIn('a.ts', source).map(({ original, isOutside }) => [original, isOutside])
  const of = (text: string) => outside.find(([original]) => original === text)?.[1]
  expect(["['a']", "'a'", "'b'", "['c']", "'c'", "'d'"].map(of)).toEqual([true, true, false, false, false, false])
})

test('descriptions in a schema and names of properties are not mutated', () => {
  const replacements = mutantsIn('a.ts', "const x = f({ description: 'a', 'b-c': d })").map(({ replacement }) => replacement)
  expect(replacements).toEqual(['{}'])
})

test('string concatenation is not mutated to subtraction', () => {
  expect(mutantsIn('a.ts', "const x = a + 'b'").map(({ replacement }) => replacement)).toEqual(["''"])
})

test('instrumented code behaves as before until a mutant in it is active', () => {
  const source = 'let sum = 0\nfor (const n of [1, 2, 3].filter((one) => one > 1)) {\n  sum += n\n}\nresult.push(sum ?? null)'
  const mutants = numbered(source)
  expect(evaluate(source, mutants, null)).toEqual([5])
  expect(evaluate(source, mutants, idOf(mutants, 'boundary'))).toEqual([6])
  expect(evaluate(source, mutants, idOf(mutants, 'method'))).toEqual([6])
  expect(evaluate(source, mutants, idOf(mutants, 'assignment'))).toEqual([-5])
  expect(evaluate(source, mutants, idOf(mutants, 'array'))).toEqual([0])
})

test('a statement that starts with a mutant is not parsed as a call of the line before', () => {
  const source = 'const list = result\nlist.slice(0).sort().forEach((one) => one)\nlist.push(1)'
  expect(evaluate(source, numbered(source), null)).toEqual([1])
})

test('an instrumented optional chain short-circuits as a whole', () => {
  const source = 'const none = result[0]\nresult.push(none?.list.filter((one) => one).slice(1) ?? 7)'
  expect(evaluate(source, numbered(source), null)).toEqual([7])
})

test('a function that is passed on as text runs without its file', () => {
  const source = 'const f = (a) => a > 1\nresult.push(String(f))'
  const [text] = evaluate(source, numbered(source), null)
  expect(runInNewContext(`(${text})(2)`)).toBe(true)
})

test('removing a statement keeps the else of its if', () => {
  const source = 'if (result.length > 0) result.push(1)\nelse result.push(2)'
  expect(evaluate(source, numbered(source), null)).toEqual([2])
})

test('every source can be parsed with all its mutants in it', () => {
  const sources = sourcesIn('.', mutatedFolders)
  for (const file of spread(sources, triesOf(sources.length))) {
    const source = readFileSync(file, 'utf8')
    const instrumented = instrument(file, source, numbered(source))
    expect(() => parse(file, instrumented)).not.toThrow()
  }
})

test('a sample represents each group proportionally, and is the same for the same seed', () => {
  const items = Array.from({ length: 100 }, (_, index) => index)
  const groupOf = (item: number) => (item < 80 ? 'large' : 'small')
  const picked = sample(items, groupOf, { size: 10, seed: 1 })
  expect(picked.filter((item) => groupOf(item) === 'large')).toHaveLength(8)
  expect(sample(items, groupOf, { size: 10, seed: 1 })).toEqual(picked)
  expect(sample(items, groupOf, { size: 10, seed: 2 })).not.toEqual(picked)
  expect(sample(items, groupOf, { size: 10, seed: 1, leastOfGroup: 4 }).filter((item) => groupOf(item) === 'small')).toHaveLength(4)
  expect(sample(items, groupOf, { size: 100, seed: 1 })).toEqual(items)
})

/** Picks the given number, spread evenly. */
function spread<Item>(items: readonly Item[], count: number): readonly Item[] {
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)] as Item)
}

function numbered(source: string): readonly Mutant[] {
  return mutantsIn('a.ts', source).map((mutant, id) => ({ ...mutant, id }))
}

function idOf(mutants: readonly Mutant[], operator: string): number | undefined {
  return mutants.find((mutant) => mutant.operator === operator)?.id
}

function evaluate(source: string, mutants: readonly Mutant[], active: number | null | undefined): readonly unknown[] {
  const before = Reflect.get(globalThis, '__mutation')
  onTestFinished(() => void Object.assign(globalThis, { __mutation: before }))
  Object.assign(globalThis, { __mutation: (id: number) => id === active })
  const result: unknown[] = []
  new Function('result', instrument('a.ts', source, mutants))(result)
  return result
}
