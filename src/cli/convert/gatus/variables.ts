import type { Env } from '../../../config.ts'
import type { ConversionDraft } from '../draft.ts'
import { literalText } from '../written-text.ts'

/** Text of Gatus, in which `$NAME` and `${NAME}` are variables and `$$` is a dollar sign. */
export type GatusTexts = {
  /** Replaces variables with their values. */
  resolve(text: string): string
  /** Rewrites variables in the syntax of the config file. */
  write(text: string): string
  /** Like `write`, for secrets that must not be in the file. */
  hide(name: string, text: string): string
}

const reference = /\$\$|\$\{([^}]{0,200})\}|\$([A-Za-z_][A-Za-z0-9_]*)/g
const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/

type Piece = { readonly literal: string } | { readonly variable: string }

export function gatusTexts(env: Env, draft: ConversionDraft): GatusTexts {
  const reported = new Set<string>()
  const declare = (name: string): string => {
    const value = env[name] ?? ''
    if (env[name] === undefined && !reported.has(name))
      draft.changed(`variable ${name}`, null, 'It is not set in this environment, so it is empty, as in Gatus: set it in the env file.')
    reported.add(name)
    draft.variable(name, value)
    return value
  }
  const resolve = (text: string) =>
    piecesOf(text)
      .map((piece) => ('literal' in piece ? piece.literal : declare(piece.variable)))
      .join('')
  const isWhole = (pieces: readonly Piece[]) => pieces.every((piece) => 'variable' in piece)
  return {
    resolve,
    write(text) {
      const pieces = piecesOf(text)
      const before = pieces.some((piece, at) => 'literal' in piece && piece.literal.endsWith('$') && at + 1 < pieces.length)
      // A dollar sign right before a variable would escape it.
      if (before) return draft.secret('gatus text', resolve(text))
      for (const piece of pieces) if ('variable' in piece) declare(piece.variable)
      return pieces.map((piece) => ('literal' in piece ? literalText(piece.literal) : `\${${piece.variable}}`)).join('')
    },
    hide(name, text) {
      if (text === '') return ''
      const pieces = piecesOf(text)
      if (!isWhole(pieces)) return draft.secret(name, resolve(text))
      for (const piece of pieces) if ('variable' in piece) declare(piece.variable)
      return pieces.map((piece) => ('variable' in piece ? `\${${piece.variable}}` : '')).join('')
    },
  }
}

function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let literal = ''
  let at = 0
  const flush = () => {
    if (literal !== '') pieces.push({ literal })
    literal = ''
  }
  for (const match of text.matchAll(reference)) {
    literal += text.slice(at, match.index)
    at = match.index + match[0].length
    const name = match[1] ?? match[2]
    if (name === undefined) literal += '$'
    else if (namePattern.test(name)) {
      flush()
      pieces.push({ variable: name })
    }
  }
  literal += text.slice(at)
  flush()
  return pieces
}
