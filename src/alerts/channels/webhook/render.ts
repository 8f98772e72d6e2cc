import { helpers, lengthOf, property, TemplateFault, textOf } from './helpers.ts'
import {
  simpleName,
  type TemplateBlock,
  type TemplateCall,
  type TemplateExpression,
  type TemplatePath,
  type TemplateProgram,
} from './syntax.ts'

type Variables = Readonly<Record<string, unknown>>
type Scope = {
  readonly context: unknown
  readonly parent: Scope | null
  /** `@index`, `@key`, `@first` and `@last` of the innermost loop. */
  readonly data: Variables
  /** Block parameters, such as `tag` in `as |tag|`. */
  readonly names: Variables
}

type RenderOptions = {
  readonly escape: (text: string) => string
  readonly maxLength: number
  /** The value of `$UUID`. */
  readonly uuid: string
}

/** Enough to render every subject and tag of a message several times; takes milliseconds. */
const maxSteps = 20_000
/** The cost of a helper grows with the length of the texts it processes. */
const charactersPerStep = 50

/**
 * Renders a parsed template. It is interpreted, not compiled: no code is generated, no prototype of a value can be reached, and steps and
 * length are bounded.
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

  #block(block: TemplateBlock, scope: Scope): void {
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

  #each(value: unknown, { program, inverse }: TemplateBlock, scope: Scope): void {
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
    if (entries.length === 0) this.#program(inverse, scope)
    entries.forEach(([key, item], index) => {
      this.#step()
      const place = Array.isArray(value) ? index : key
      const data = { key: place, index, first: index === 0, last: index === entries.length - 1 }
      this.#program(program, inner(scope, item, data, program, [item, place]))
    })
  }

  #call({ path, params }: TemplateCall, scope: Scope): unknown {
    const name = simpleName(path)
    const helper = name === null ? undefined : helpers[name]
    if (helper === undefined) return this.#value(path, scope)
    const given = params.map((param) => this.#value(param, scope))
    const result = helper(given, { uuid: this.#options.uuid, maxLength: this.#options.maxLength, root: this.#root.context })
    this.#step((lengthOf(given) + lengthOf(result)) / charactersPerStep)
    return result
  }

  #value(expression: TemplateExpression, scope: Scope): unknown {
    this.#step()
    if (expression.type === 'PathExpression') return valueAt(expression, scope)
    if (expression.type === 'SubExpression') return this.#call(expression, scope)
    return 'value' in expression ? expression.value : undefined
  }

  #emit(text: string): void {
    this.#output += text
    if (this.#output.length > this.#options.maxLength)
      throw new TemplateFault(`the template renders more than ${this.#options.maxLength} characters`)
  }

  #step(cost = 1): void {
    this.#steps += cost
    if (this.#steps > maxSteps) throw new TemplateFault(`the template takes more than ${maxSteps} steps`)
  }
}

function inner(scope: Scope, context: unknown, data: Variables, program: TemplateProgram | undefined, values: readonly unknown[]): Scope {
  const names = Object.fromEntries((program?.blockParams ?? []).map((name, index) => [name, values[index]]))
  return { context, parent: scope, data: { ...scope.data, ...data }, names: { ...scope.names, ...names } }
}

function valueAt({ data, depth, parts, original }: TemplatePath, scope: Scope): unknown {
  let at: Scope | null = scope
  for (let level = 0; level < depth && at !== null; level++) at = at.parent
  if (at === null) return undefined
  const [head = '', ...rest] = parts
  const isName = !data && depth === 0 && Object.hasOwn(at.names, head) && !/^(this\b|\.)/.test(original)
  if (isName) return rest.reduce(property, at.names[head])
  return parts.reduce(property, data ? at.data : at.context)
}

function isEmpty(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0)
}
