import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Mutation, mutationsOf } from './operators.ts'
import { child, children, methodName, type Node, parse } from './syntax.ts'

export const mutatedFolders = [
  'agent',
  'alerts',
  'analytics',
  'badges',
  'calendar',
  'catalogue',
  'checks',
  'cli',
  'http',
  'ingest',
  'locations',
  'managed',
  'prometheus',
  'runner',
  'store',
  'web',
].map((name) => `src/${name}`)

export type Mutant = Placed & { readonly id: number; readonly file: string; readonly line: number; readonly original: string }
/** Mutants outside of functions run while their module is loaded. */
type Placed = Mutation & { readonly isOutside: boolean }

/** Every mutant of a file, without those with no observable effect (docs/mutation.md lists the rules). */
export function mutantsIn(file: string, source: string): readonly Omit<Mutant, 'id'>[] {
  const lineEnds = [...source.matchAll(/\n/g)].map(({ index }) => index)
  return collect(parse(file, source), source).map((mutation) => ({
    ...mutation,
    file,
    line: 1 + lineEnds.filter((end) => end < mutation.start).length,
    original: source.slice(mutation.start, mutation.end),
  }))
}

/** The sources of these folders, without their tests. */
export function sourcesIn(root: string, folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .sort()
      .map((name) => `${folder}/${name}`),
  )
}

/** Statements that begin with an expression: wrapping it in parentheses could turn it into a call of the line before. */
export function statementStarts(file: string, source: string): ReadonlySet<number> {
  const starts = new Set<number>()
  const visit = (node: Node) => {
    if (node.type === 'ExpressionStatement') starts.add(node.start)
    for (const [, below] of children(node)) visit(below)
  }
  visit(parse(file, source))
  return starts
}

type NodeContext = { readonly field: string; readonly parent: Node | null; readonly inChain: boolean; readonly isOutside: boolean }

function collect(program: Node, source: string): readonly Placed[] {
  const mutations: Placed[] = []
  const visit = (node: Node, { field, parent, inChain, isOutside: isParentOutside }: NodeContext) => {
    if (isUnseen(node, field, parent, source)) return
    const isOutside = isParentOutside && !functions.has(node.type)
    const chained = inChain && isLinkOf(field)
    if (!chained && !isUnwrappable(node, parent)) {
      const own = mutationsOf(node, source).filter((mutation) => !isTwice(mutation, field))
      mutations.push(...own.map((mutation) => ({ ...mutation, isOutside })))
    }
    const below = { parent: node, inChain: node.type === 'ChainExpression' || chained, isOutside }
    for (const [name, next] of children(node)) visit(next, { field: name, ...below })
  }
  visit(program, { field: '', parent: null, inChain: false, isOutside: true })
  return mutations
}

const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

/** Objects and callees of one optional chain: wrapped separately, they would no longer short-circuit together. */
function isLinkOf(field: string): boolean {
  return field === 'object' || field === 'callee' || field === 'expression'
}

function isUnwrappable(node: Node, parent: Node | null): boolean {
  if (node.type === 'TemplateLiteral') return parent?.type === 'TaggedTemplateExpression'
  return node.type === 'ChainExpression' && parent?.operator === 'delete'
}

/** A condition that is replaced by true and by false needs no third mutant that negates it. */
function isTwice({ operator }: Mutation, field: string): boolean {
  return field === 'test' && (operator === 'equality' || operator === 'negation')
}

const typeWrappers = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])
const defects = new Set(['Error', 'TypeError', 'RangeError'])
const documentation = new Set(['description', 'title', 'summary', 'examples', '$comment'])

function isUnseen(node: Node, field: string, parent: Node | null, source: string): boolean {
  if (node.type.startsWith('TS')) return !typeWrappers.has(node.type)
  if (['ImportDeclaration', 'ExportAllDeclaration', 'ImportExpression'].includes(node.type)) return true
  if (node.type === 'ExpressionStatement' && node.directive) return true
  if (field === 'source' && parent?.type === 'ExportNamedDeclaration') return true
  if (field === 'key' && parent && !parent.computed) return true
  if (node.type === 'Property' && documentation.has(String(child(node, 'key')?.name))) return true
  if (node.type === 'NewExpression' && defects.has(String(child(node, 'callee')?.name))) return true
  return isLog(node, source) || isUnref(node)
}

function isLog(node: Node, source: string): boolean {
  const call = callOf(node)
  const receiver = call ? child(child(call, 'callee'), 'object') : null
  return receiver !== null && /(^|\.)(log|logger|console)$/.test(source.slice(receiver.start, receiver.end).replace(/\?$/, ''))
}

/** Whether a timer or a thread keeps the process alive is only visible when it exits. */
function isUnref(node: Node): boolean {
  const call = callOf(node)
  return call !== null && ['ref', 'unref'].includes(methodName(call))
}

/** The call that an expression or a statement consists of. */
function callOf(node: Node): Node | null {
  if (node.type === 'CallExpression') return node
  const expression = ['ExpressionStatement', 'ChainExpression'].includes(node.type) ? child(node, 'expression') : null
  return expression ? callOf(expression) : null
}
