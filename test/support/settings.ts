import type { CheckType } from '../../src/checks/define.ts'

type Shape = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly pattern?: string
  readonly minLength?: number
  readonly minimum?: number
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Shape[]
  readonly const?: unknown
}

const texts = ['https://example.test/', '1m', 'a-name-that-is-long-enough']

/** The minimal settings for a check of this type, which contain only required fields. */
export function sampleSettings({ settings }: CheckType): Readonly<Record<string, unknown>> {
  return sample(settings as Shape) as Readonly<Record<string, unknown>>
}

function sample(shape: Shape): unknown {
  if (shape.const !== undefined) return shape.const
  if (shape.enum) return shape.enum[0]
  if (shape.anyOf?.[0]) return sample(shape.anyOf[0])
  if (shape.type === 'object') {
    const wanted = Object.entries(shape.properties ?? {}).filter(([name]) => shape.required?.includes(name))
    return Object.fromEntries(wanted.map(([name, property]) => [name, sample(property)]))
  }
  if (shape.type === 'string') {
    return texts.find((text) => text.length >= (shape.minLength ?? 0) && new RegExp(shape.pattern ?? '').test(text))
  }
  if (shape.type === 'boolean') return true
  return shape.minimum ?? 1
}
