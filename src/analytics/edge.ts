import { parseDay, parseEpoch, parseInstant } from '../time.ts'

/** An end of a window as a client writes it: an instant, or a date, which is a day of the zone that the window is in. */
export type Edge = number | { readonly date: string }

/** An edge as clients write it; undefined for anything else, such as 30 February. */
export function parseEdge(text: string): Edge | undefined {
  return parseEpoch(text) ?? parseDate(text) ?? parseInstant(withPlus(text))
}

function parseDate(text: string): Edge | undefined {
  return parseDay(text) === undefined ? undefined : { date: text }
}

/** A blank before an offset is a plus that was not escaped in the address. */
function withPlus(text: string): string {
  return text.replace(/ (?=[0-9]{2}(:?[0-9]{2})?$)/, '+')
}
