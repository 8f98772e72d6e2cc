import { parseSync } from 'vite'

/** A node of the ESTree that the parser builds; other fields are read with `child` or `text`. */
export type Node = { readonly type: string; readonly start: number; readonly end: number; readonly [field: string]: unknown }

export function parse(file: string, source: string): Node {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  return program as unknown as Node
}

export function child(node: Node | null, field: string): Node | null {
  const value = node?.[field]
  return isNode(value) ? value : null
}

export function children(node: Node): readonly (readonly [field: string, child: Node])[] {
  return Object.entries(node).flatMap(([field, value]) =>
    (Array.isArray(value) ? value : [value]).filter(isNode).map((found) => [field, found] as const),
  )
}

/** The name of the called method, or '' for a plain function. */
export function methodName(call: Node): string {
  const callee = child(call, 'callee')
  if (callee?.type !== 'MemberExpression' || callee.computed) return ''
  return String(child(callee, 'property')?.name ?? '')
}

export function isText(node: Node | null): boolean {
  return node?.type === 'TemplateLiteral' || (node?.type === 'Literal' && typeof node.value === 'string')
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}
