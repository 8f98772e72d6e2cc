import { type Mutant, statementStarts } from './mutants.ts'

type Span = { readonly start: number; readonly end: number; readonly form: Mutant['form']; readonly mutants: readonly Mutant[] }

/** The source with every mutant in it, each guarded by a check whether it is active; line numbers are unchanged. */
export function instrument(file: string, source: string, mutants: readonly Mutant[]): string {
  const spans = spansOf(mutants)
  const starts = new Set(statementStarts(file, source))
  let next = 0

  const render = (start: number, end: number): string => {
    let text = ''
    let at = start
    for (let span = spans[next]; span && span.start < end; span = spans[next]) {
      next += 1
      text += source.slice(at, span.start)
      const opening = span.form === 'expression' && starts.delete(span.start) ? 'void 0,' : ''
      text += opening + guard(span, render(span.start, span.end))
      at = span.end
    }
    return text + source.slice(at, end)
  }
  return render(0, source.length)
}

/** Refers to nothing in its file: a function may be passed on as text, to a script or a page. */
const isActive = ({ id }: Mutant) => `globalThis.__mutation?.(${id})`

function guard({ form, mutants }: Span, original: string): string {
  if (form === 'statement') return `{if(!${mutants.map(isActive).join('&&!')}){${original}}}`
  return `(${mutants.map((mutant) => `${isActive(mutant)}?(${mutant.replacement}):`).join('')}(${original}))`
}

/** Mutants by the place they change: outer before inner, and a statement before its expression. */
function spansOf(mutants: readonly Mutant[]): readonly Span[] {
  const byPlace = new Map<string, Span>()
  for (const mutant of mutants) {
    const { start, end, form } = mutant
    const place = `${start} ${end} ${form}`
    byPlace.set(place, { start, end, form, mutants: [...(byPlace.get(place)?.mutants ?? []), mutant] })
  }
  return [...byPlace.values()].sort((a, b) => a.start - b.start || b.end - a.end || (a.form === 'statement' ? -1 : 1))
}
