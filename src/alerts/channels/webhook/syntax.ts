import { helpers } from './helpers.ts'

/** The part of the AST of Handlebars that templates may use. */
export type TemplateProgram = { readonly body: readonly Statement[]; readonly blockParams?: readonly string[] }

type Statement =
  | { readonly type: 'ContentStatement'; readonly value: string }
  | { readonly type: 'CommentStatement' }
  | (TemplateCall & { readonly type: 'MustacheStatement'; readonly escaped: boolean })
  | TemplateBlock
export type TemplateBlock = TemplateCall & {
  readonly type: 'BlockStatement'
  readonly program?: TemplateProgram
  readonly inverse?: TemplateProgram
}
export type TemplateCall = {
  readonly path: TemplateExpression
  readonly params: readonly TemplateExpression[]
  readonly hash?: { readonly pairs: readonly Pair[] }
}
type Pair = { readonly key: string; readonly value: TemplateExpression }
export type TemplatePath = {
  readonly type: 'PathExpression'
  readonly data: boolean
  readonly depth: number
  readonly parts: readonly string[]
  readonly original: string
}
export type TemplateExpression =
  | TemplatePath
  | (TemplateCall & { readonly type: 'SubExpression' })
  | { readonly type: 'StringLiteral' | 'NumberLiteral' | 'BooleanLiteral'; readonly value: string | number | boolean }
  | { readonly type: 'UndefinedLiteral' | 'NullLiteral' }

const maxDepth = 20

/** The name of a helper or variable without a path; null for anything else. */
export function simpleName(path: TemplateExpression): string | null {
  return path.type === 'PathExpression' && !path.data && path.depth === 0 && path.parts.length === 1 ? path.original : null
}

const blocks: readonly string[] = ['if', 'unless', 'each', 'with']

/** Describes the first unsupported part of a template; null if everything is supported. */
export function unknownIn(program: TemplateProgram, depth = 0): string | null {
  if (depth > maxDepth) return `blocks nested more than ${maxDepth} deep`
  for (const statement of program.body) {
    const found = unknownStatement(statement, depth)
    if (found !== null) return found
  }
  return null
}

function unknownStatement(statement: Statement, depth: number): string | null {
  if (statement.type === 'ContentStatement' || statement.type === 'CommentStatement') return null
  if (statement.type === 'MustacheStatement') return unknownCall(statement, helpers, depth)
  if (statement.type !== 'BlockStatement') return 'a partial or a decorator, which are not supported'
  const { program, inverse } = statement
  const name = simpleName(statement.path)
  if (name !== null && blocks.includes(name) && statement.params.length !== 1) return `#${name} without exactly one value`
  const inside = [program, inverse].map((one) => (one === undefined || one === null ? null : unknownIn(one, depth + 1)))
  const params = statement.params.map((param) => unknownExpression(param, depth))
  const unknownBlock =
    statement.params.length > 0 && (name === null || !blocks.includes(name)) ? `the unknown helper ${originalOf(statement.path)}` : null
  return unknownBlock ?? [...params, ...inside].find((found) => found !== null) ?? null
}

function unknownCall({ path, params }: TemplateCall, known: Readonly<Record<string, unknown>>, depth: number): string | null {
  const name = simpleName(path)
  if (params.length > 0 && (name === null || known[name] === undefined)) return `the unknown helper ${originalOf(path)}`
  return params.map((param) => unknownExpression(param, depth)).find((found) => found !== null) ?? null
}

function unknownExpression(expression: TemplateExpression, depth: number): string | null {
  if (depth > maxDepth) return 'an expression nested too deeply'
  return expression.type === 'SubExpression' ? unknownCall(expression, helpers, depth + 1) : null
}

function originalOf(path: TemplateExpression): string {
  return path.type === 'PathExpression' ? path.original : 'of an expression'
}
