/** What the parser of Handlebars gives, as far as templates may use it. */
export type TemplateProgram = { readonly body: readonly Statement[]; readonly blockParams?: readonly string[] }

type Statement =
  | { readonly type: 'ContentStatement'; readonly value: string }
  | { readonly type: 'CommentStatement' }
  | (Call & { readonly type: 'MustacheStatement'; readonly escaped: boolean })
  | Block
type Block = Call & { readonly type: 'BlockStatement'; readonly program?: TemplateProgram; readonly inverse?: TemplateProgram }
type Call = { readonly path: Expression; readonly params: readonly Expression[]; readonly hash?: { readonly pairs: readonly Pair[] } }
type Pair = { readonly key: string; readonly value: Expression }
type Path = {
  readonly type: 'PathExpression'
  readonly data: boolean
  readonly depth: number
  readonly parts: readonly string[]
  readonly original: string
}
type Expression =
  | Path
  | (Call & { readonly type: 'SubExpression' })
  | { readonly type: 'StringLiteral' | 'NumberLiteral' | 'BooleanLiteral'; readonly value: string | number | boolean }
  | { readonly type: 'UndefinedLiteral' | 'NullLiteral' }

type Variables = Readonly<Record<string, unknown>>
type Scope = {
  readonly context: unknown
  readonly parent: Scope | null
  /** `@index`, `@key`, `@first` and `@last` of the innermost loop. */
  readonly data: Variables
  /** Names that blocks have given, such as `tag` in `as |tag|`. */
  readonly names: Variables
}

export type RenderOptions = {
  readonly escape: (text: string) => string
  readonly maxLength: number
  /** What `$UUID` stands for. */
  readonly uuid: string
}

/** The template does too much, or uses what there is not. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault'
}

/** Enough for every subject and tag of a message several times, and done in milliseconds. */
const maxSteps = 20_000
const maxDepth = 20

/**
 * Fills in a parsed template. It is interpreted, not compiled: no code is made of it, values have no prototypes to reach for, and what
 * it may do is bounded in steps and in length.
 */
export function rendered(program: TemplateProgram, variables: Variables, options: RenderOptions): string {
  const root: Scope = { context: variables, parent: null, data: { root: variables }, names: {} }
  return new Renderer(options, root).render(program)
}

class Renderer {
  readonly #options: RenderOptions
  readonly #root: Scope
  #output = ''
  #steps = 0

  constructor(options: RenderOptions, root: Scope) {
    this.#options = options
    this.#root = root
  }

  render(program: TemplateProgram): string {
    this.#program(program, this.#root)
    return this.#output
  }

  #program(program: TemplateProgram | undefined, scope: Scope): void {
    for (const statement of program?.body ?? []) {
      this.#step()
      if (statement.type === 'ContentStatement') this.#emit(statement.value)
      else if (statement.type === 'BlockStatement') this.#block(statement, scope)
      else if (statement.type === 'MustacheStatement') {
        const text = textOf(this.#call(statement, scope))
        this.#emit(statement.escaped ? this.#options.escape(text) : text)
      }
    }
  }

  #block(block: Block, scope: Scope): void {
    const { path, params, hash, program, inverse } = block
    const name = simpleName(path)
    const [first] = params
    const value = first === undefined ? this.#value(path, scope) : this.#value(first, scope)
    if (name === 'if' || name === 'unless') {
      const includeZero = hash?.pairs.some(({ key, value: given }) => key === 'includeZero' && this.#value(given, scope) === true)
      const holds = value === 0 ? includeZero === true : !isEmpty(value)
      this.#program(holds === (name === 'if') ? program : inverse, scope)
    } else if (name === 'each' || (first === undefined && Array.isArray(value))) this.#each(value, block, scope)
    else if (isEmpty(value)) this.#program(inverse, scope)
    else this.#program(program, value === true ? scope : inner(scope, value, {}, program, [value]))
  }

  #each(value: unknown, { program, inverse }: Block, scope: Scope): void {
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
    if (entries.length === 0) this.#program(inverse, scope)
    entries.forEach(([key, item], index) => {
      this.#step()
      const place = Array.isArray(value) ? index : key
      const data = { key: place, index, first: index === 0, last: index === entries.length - 1 }
      this.#program(program, inner(scope, item, data, program, [item, place]))
    })
  }

  #call({ path, params }: Call, scope: Scope): unknown {
    const name = simpleName(path)
    const helper = name === null ? undefined : helpers[name]
    if (helper === undefined) return this.#value(path, scope)
    const given = params.map((param) => this.#value(param, scope))
    return helper(given, { uuid: this.#options.uuid, maxLength: this.#options.maxLength, root: this.#root.context })
  }

  #value(expression: Expression, scope: Scope): unknown {
    this.#step()
    if (expression.type === 'PathExpression') return valueAt(expression, scope)
    if (expression.type === 'SubExpression') return this.#call(expression, scope)
    return 'value' in expression ? expression.value : undefined
  }

  #emit(text: string): void {
    this.#output += text
    if (this.#output.length > this.#options.maxLength)
      throw new TemplateFault(`the template gives more than ${this.#options.maxLength} characters`)
  }

  #step(): void {
    this.#steps += 1
    if (this.#steps > maxSteps) throw new TemplateFault(`the template takes more than ${maxSteps} steps`)
  }
}

function inner(scope: Scope, context: unknown, data: Variables, program: TemplateProgram | undefined, values: readonly unknown[]): Scope {
  const names = Object.fromEntries((program?.blockParams ?? []).map((name, index) => [name, values[index]]))
  return { context, parent: scope, data: { ...scope.data, ...data }, names: { ...scope.names, ...names } }
}

function valueAt({ data, depth, parts, original }: Path, scope: Scope): unknown {
  let at: Scope | null = scope
  for (let level = 0; level < depth && at !== null; level++) at = at.parent
  if (at === null) return undefined
  const [head = '', ...rest] = parts
  const isName = !data && depth === 0 && Object.hasOwn(at.names, head) && !/^(this\b|\.)/.test(original)
  if (isName) return rest.reduce(property, at.names[head])
  return parts.reduce(property, data ? at.data : at.context)
}

/** Own properties only. */
function property(value: unknown, name: string): unknown {
  if (value === null || value === undefined || !Object.hasOwn(Object(value), name)) return undefined
  return (value as Variables)[name]
}

function isEmpty(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0)
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(',')
  return typeof value === 'object' ? '[object Object]' : String(value)
}

function simpleName(path: Expression): string | null {
  return path.type === 'PathExpression' && !path.data && path.depth === 0 && path.parts.length === 1 ? path.original : null
}

type Environment = { readonly uuid: string; readonly maxLength: number; readonly root: unknown }
type Helper = (params: readonly unknown[], environment: Environment) => unknown

const helpers: Readonly<Record<string, Helper>> = Object.assign(Object.create(null), {
  lookup: ([value, name]) => property(value, textOf(name)),
  $UUID: (_, { uuid }) => uuid,
  startsWith: ([text, start]) => textOf(text).startsWith(textOf(start)),
  split: ([text, separator]) => textOf(text).split(textOf(separator)),
  json: ([value]) => JSON.stringify(value ?? null),
  replace: ([text, search, replacement], { maxLength }) => replaced(textOf(text), textOf(search), textOf(replacement), maxLength),
  /** `shop` of the tag `team:shop`, for `tagValue "team"`. */
  tagValue([name], { root }) {
    const tags = property(root, 'TAGS')
    const prefix = `${textOf(name)}:`
    return (Array.isArray(tags) ? tags : [])
      .map(textOf)
      .find((tag) => tag.startsWith(prefix))
      ?.slice(prefix.length)
  },
} satisfies Record<string, Helper>)

function replaced(text: string, search: string, replacement: string, maxLength: number): string {
  if (search === '') return text
  const parts = text.split(search)
  if (text.length + (parts.length - 1) * replacement.length > maxLength) throw new TemplateFault('the template replaces too much')
  return parts.join(replacement)
}

const blocks: readonly string[] = ['if', 'unless', 'each', 'with']

/** What a template has that is not supported, in words; null where everything is. */
export function unknownIn(program: TemplateProgram, depth = 0): string | null {
  if (depth > maxDepth) return `blocks that are nested more than ${maxDepth} deep`
  for (const statement of program.body) {
    const found = unknownStatement(statement, depth)
    if (found !== null) return found
  }
  return null
}

function unknownStatement(statement: Statement, depth: number): string | null {
  if (statement.type === 'ContentStatement' || statement.type === 'CommentStatement') return null
  if (statement.type === 'MustacheStatement') return unknownCall(statement, helpers, depth)
  if (statement.type !== 'BlockStatement') return 'a partial or a decorator, which there are none of'
  const { program, inverse } = statement
  const name = simpleName(statement.path)
  if (name !== null && blocks.includes(name) && statement.params.length !== 1) return `#${name} without exactly one value`
  const inside = [program, inverse].map((one) => (one === undefined || one === null ? null : unknownIn(one, depth + 1)))
  const params = statement.params.map((param) => unknownExpression(param, depth))
  const unknownBlock =
    statement.params.length > 0 && (name === null || !blocks.includes(name)) ? `the unknown helper ${originalOf(statement.path)}` : null
  return unknownBlock ?? [...params, ...inside].find((found) => found !== null) ?? null
}

function unknownCall({ path, params }: Call, known: Readonly<Record<string, unknown>>, depth: number): string | null {
  const name = simpleName(path)
  if (params.length > 0 && (name === null || known[name] === undefined)) return `the unknown helper ${originalOf(path)}`
  return params.map((param) => unknownExpression(param, depth)).find((found) => found !== null) ?? null
}

function unknownExpression(expression: Expression, depth: number): string | null {
  if (depth > maxDepth) return 'an expression that is nested too deeply'
  return expression.type === 'SubExpression' ? unknownCall(expression, helpers, depth + 1) : null
}

function originalOf(path: Expression): string {
  return path.type === 'PathExpression' ? path.original : 'of an expression'
}
