import { Lexer } from 'yaml'

/** More levels, and the parser could exhaust the stack of its thread, which ends the whole process. */
export const maxLevels = 500
export const nestingFault = `this is nested more than ${maxLevels} levels deep`

const scalarFollows = '\x1f'
/** Blanks, indicators, anchors, tags, and what the lexer says at the start of a document and of a scalar. */
const beforeContent = /^(?: +|[-?:]|[&!].*|\u0002|\u001f|\ufeff)$/

/** The line at which a file, valid or not, is nested too deeply for its parser; null where it is not. */
export function tooDeepAt(text: string): number | null {
  let line = 1
  let brackets = 0
  /** What stands before the content of a line: every level of block style takes a column of it. */
  let columns = 0
  let isBeforeContent = true
  let isScalar = false
  for (const lexeme of new Lexer().lex(text)) {
    if (!isScalar && (lexeme === '[' || lexeme === '{')) brackets++
    if (!isScalar && (lexeme === ']' || lexeme === '}')) brackets--
    if (isScalar || !beforeContent.test(lexeme)) isBeforeContent = false
    if (isBeforeContent) columns += lexeme.length
    isScalar = !isScalar && lexeme === scalarFollows
    if (brackets + columns > maxLevels) return line
    const breaks = lexeme.split('\n').length - 1
    line += breaks
    if (breaks > 0) {
      columns = 0
      isBeforeContent = true
    }
  }
  return null
}
