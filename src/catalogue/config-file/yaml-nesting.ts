import { Lexer } from 'yaml'

/** With more levels, the parser could overflow the stack of its thread, which ends the whole process. */
export const maxLevels = 500
export const nestingFault = `this is nested more than ${maxLevels} levels deep`

const scalarFollows = '\x1f'
/** Blanks, indicators, anchors, tags, and the marks of the lexer for the start of a document or scalar. */
const beforeContent = /^(?: +|[-?:]|[&!].*|\u0002|\u001f|\ufeff)$/

/** The line where a file is nested too deeply for the parser; null if it is not. The file may be invalid. */
export function tooDeepAt(text: string): number | null {
  let line = 1
  let brackets = 0
  /** Columns before the content of a line. Each level of block style takes at least one. */
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
