import { child, isText, methodName, type Node } from './syntax.ts'

/** A change of one expression, or the removal of one statement. */
export type Mutation = {
  readonly operator: string
  readonly form: 'expression' | 'statement'
  readonly start: number
  readonly end: number
  /** The new source; empty for a removed statement. */
  readonly replacement: string
}

type Operator = (node: Node, source: string) => readonly Mutation[]

/** Every change that the operators make to this node, without its children. */
export function mutationsOf(node: Node, source: string): readonly Mutation[] {
  return ownValue(operators, node.type)?.(node, source) ?? []
}

const operators: Readonly<Record<string, Operator>> = {
  BinaryExpression: binary,
  LogicalExpression: logical,
  UnaryExpression: unary,
  UpdateExpression: (node, source) => [replace('update', node, swapped(textOf(node, source), { '++': '--', '--': '++' }))],
  AssignmentExpression: assignment,
  Literal: literal,
  TemplateLiteral: (node) => (node.end - node.start > 2 ? [replace('text', node, "''")] : []),
  ArrayExpression: (node) => (isEmpty(node.elements) ? [] : [replace('array', node, '[]')]),
  ObjectExpression: (node) => (isEmpty(node.properties) ? [] : [replace('object', node, '{}')]),
  AwaitExpression: (node, source) => part('await', node, child(node, 'argument'), source),
  ConditionalExpression: (node) => condition(child(node, 'test'), ['true', 'false']),
  IfStatement: (node) => condition(child(node, 'test'), ['true', 'false']),
  WhileStatement: (node) => condition(child(node, 'test'), ['false']),
  ForStatement: (node) => condition(child(node, 'test'), ['false']),
  ReturnStatement: (node) => result(child(node, 'argument')),
  ArrowFunctionExpression: (node) => (child(node, 'body')?.type === 'BlockStatement' ? [] : result(child(node, 'body'))),
  ChainExpression: chain,
  CallExpression: call,
  ExpressionStatement: statement,
  ThrowStatement: (node) => [remove(node)],
  ContinueStatement: (node) => [remove(node)],
}

const binaryOperators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '^': '&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
}

const boundaries = new Set(['<', '<=', '>', '>='])

const methods: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
}
const droppedMethods = new Set(['filter', 'sort', 'toSorted', 'reverse', 'toReversed', 'slice', 'trim', 'toLowerCase', 'catch', 'finally'])

function binary(node: Node, source: string): readonly Mutation[] {
  const [left, right] = [child(node, 'left'), child(node, 'right')]
  const other = binaryOperators[String(node.operator)]
  if (!left || !right || !other) return []
  if (node.operator === '+' && (isText(left) || isText(right))) return []
  if (isNumber(left) && isNumber(right)) return []
  const operator = boundaries.has(other) ? 'boundary' : other.endsWith('==') ? 'equality' : 'arithmetic'
  return [replace(operator, node, `${textOf(left, source)} ${other} ${textOf(right, source)}`)]
}

function logical(node: Node, source: string): readonly Mutation[] {
  const [left, right] = [child(node, 'left'), child(node, 'right')]
  if (!left || !right) return []
  if (node.operator === '??') return part('fallback', node, left, source)
  const other = node.operator === '&&' ? '||' : '&&'
  return [replace('logical', node, `(${textOf(left, source)}) ${other} (${textOf(right, source)})`)]
}

function unary(node: Node, source: string): readonly Mutation[] {
  if (node.operator !== '!' && node.operator !== '-') return []
  return part(node.operator === '!' ? 'negation' : 'arithmetic', node, child(node, 'argument'), source)
}

const assignments: Readonly<Record<string, string>> = {
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
  '/=': '*=',
  '|=': '&=',
  '&=': '|=',
  '??=': '=',
  '||=': '=',
}

function assignment(node: Node, source: string): readonly Mutation[] {
  const [left, right] = [child(node, 'left'), child(node, 'right')]
  const other = assignments[String(node.operator)]
  if (!left || !right || !other || isText(right)) return []
  return [replace('assignment', node, `${textOf(left, source)} ${other} ${textOf(right, source)}`)]
}

function literal(node: Node): readonly Mutation[] {
  if (typeof node.value === 'boolean') return [replace('boolean', node, String(!node.value))]
  if (typeof node.value === 'string') return [replace('text', node, node.value === '' ? "'mutant'" : "''")]
  return []
}

function condition(test: Node | null, outcomes: readonly string[]): readonly Mutation[] {
  if (!test || test.type === 'Literal') return []
  return outcomes.map((outcome) => replace('condition', test, outcome))
}

/** Leaves out what other operators change already, and values without an effect. */
function result(value: Node | null): readonly Mutation[] {
  if (!value || value.name === 'undefined' || ['Literal', 'AwaitExpression'].includes(value.type)) return []
  if (value.type === 'UnaryExpression' && value.operator === 'void') return []
  return [replace('return', value, 'undefined')]
}

function chain(node: Node, source: string): readonly Mutation[] {
  const links: Mutation[] = []
  for (let link = child(node, 'expression'); link; link = child(link, 'object') ?? child(link, 'callee') ?? child(link, 'expression')) {
    const before = child(link, 'object') ?? child(link, 'callee')
    if (!link.optional || !before) continue
    const at = source.indexOf('?.', before.end)
    const dot = link.type === 'MemberExpression' && !link.computed ? '.' : ''
    links.push(replace('optional', node, source.slice(node.start, at) + dot + source.slice(at + 2, node.end)))
  }
  return links
}

function call(node: Node, source: string): readonly Mutation[] {
  const callee = child(node, 'callee')
  const receiver = child(callee, 'object')
  const property = child(callee, 'property')
  const name = methodName(node)
  if (!receiver || !property) return []
  if (droppedMethods.has(name) && receiver.type !== 'ThisExpression') return part('method', node, receiver, source)
  const other = ownValue(methods, name)
  return other ? [replace('method', node, source.slice(node.start, property.start) + other + source.slice(property.end, node.end))] : []
}

const removable = new Set(['CallExpression', 'ChainExpression', 'AwaitExpression', 'AssignmentExpression'])

function statement(node: Node): readonly Mutation[] {
  const expression = child(node, 'expression')
  if (!expression || !removable.has(expression.type) || child(expression, 'callee')?.type === 'Super') return []
  return [remove(node)]
}

function part(operator: string, node: Node, kept: Node | null, source: string): readonly Mutation[] {
  return kept ? [replace(operator, node, textOf(kept, source))] : []
}

function replace(operator: string, { start, end }: Node, replacement: string): Mutation {
  return { operator, form: 'expression', start, end, replacement }
}

function remove({ start, end }: Node): Mutation {
  return { operator: 'removal', form: 'statement', start, end, replacement: '' }
}

function textOf(node: Node, source: string): string {
  return source.slice(node.start, node.end)
}

function swapped(text: string, pairs: Readonly<Record<string, string>>): string {
  return text.replace(/\+\+|--/, (found) => pairs[found] ?? found)
}

/** Names come from source code: `toString` must not find an inherited property. */
function ownValue<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** A number literal, or arithmetic with only these: `8 * 2 ** 20`. */
function isNumber(node: Node): boolean {
  if (node.type === 'Literal') return typeof node.value === 'number'
  const [left, right] = [child(node, 'left'), child(node, 'right')]
  return node.type === 'BinaryExpression' && left !== null && right !== null && isNumber(left) && isNumber(right)
}

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0
}
