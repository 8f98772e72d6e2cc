import { parse } from '@handlebars/parser'
import { escapeMarkup } from '../../../text/escape-markup.ts'
import { NoAnswer } from '../channel.ts'
import type { AlertMessage } from '../message.ts'
import { TemplateFault } from './helpers.ts'
import { rendered } from './render.ts'
import { type TemplateProgram, unknownIn } from './syntax.ts'
import { templateVariables } from './variables.ts'

export const maxTemplateLength = 20_000
const maxBodyLength = 100_000
const json = 'application/json'

type Headers = Readonly<Record<string, string>>

export function contentTypeOf(headers: Headers): string {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? json
}

/** Explains in a sentence why a template is invalid; null if it is valid. */
export function templateFault(text: string): string | null {
  try {
    const unknown = unknownIn(parsed(text))
    return unknown === null ? null : `the template has ${unknown}`
  } catch (error) {
    const [first = ''] = String(error instanceof Error ? error.message : error).split('\n')
    return error instanceof RangeError ? 'the template is nested too deeply' : `the template is not valid: ${first.replace(/:$/, '')}`
  }
}

/** Renders the template. Values are escaped for the content type, except in {{{triple}}} braces. */
export function templatedBody(template: string, message: AlertMessage, contentType: string): string {
  try {
    const options = { escape: escapeFor(contentType), maxLength: maxBodyLength, uuid: message.id }
    return rendered(parsed(template), templateVariables(message), options)
  } catch (error) {
    if (error instanceof TemplateFault) throw new NoAnswer(error.message, true)
    throw error
  }
}

/** The parser types statements only by their names; `syntax.ts` declares all of them. */
function parsed(text: string): TemplateProgram {
  return parse(text) as unknown as TemplateProgram
}

function escapeFor(contentType: string): (text: string) => string {
  if (/\bjson\b/i.test(contentType)) return (text) => JSON.stringify(text).slice(1, -1)
  if (/x-www-form-urlencoded/i.test(contentType)) return encodeURIComponent
  return /\b(html|xml)\b/i.test(contentType) ? escapeMarkup : (text) => text
}
