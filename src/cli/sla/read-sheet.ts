import { Check } from '../../schema/typebox.ts'
import { parsedJson } from '../../text/parsed-json.ts'
import { CommandFailure } from '../context.ts'
import { unescapeMarkup } from './cells.ts'
import { sheetCsv } from './csv.ts'
import { dataTag, sheetHtml } from './html.ts'
import { readSheetCsv } from './read-csv.ts'
import { sealedText } from './sheet.ts'
import { type SealedSheet, SealedSheetSchema, type Sheet } from './sheet-schema.ts'

export const sheetFormats = ['html', 'csv', 'json'] as const
export type SheetFileFormat = (typeof sheetFormats)[number]

export function sheetText(sheet: Sheet, format: SheetFileFormat): string {
  if (format === 'json') return `${sealedText(sheet)}\n`
  return format === 'html' ? sheetHtml(sheet) : sheetCsv(sheet)
}

export type ReadSheet = SealedSheet & { readonly format: SheetFileFormat; readonly text: string }

/** Reads the data of a sheet's file. Detects the format from the content. */
export async function readSheet(text: string, file: string): Promise<ReadSheet> {
  const format = formatOf(text)
  const sealed = format === 'csv' ? await readSheetCsv(text) : parsedJson(format === 'html' ? embeddedData(text) : text)
  if (!Check(SealedSheetSchema, sealed)) throw new CommandFailure(`${file} is not a sheet of tidemark sla, or its data is damaged.`)
  return { sheet: sealed.sheet, fingerprint: sealed.fingerprint, format, text }
}

function formatOf(text: string): SheetFileFormat {
  if (text.startsWith('<')) return 'html'
  return text.startsWith('{') ? 'json' : 'csv'
}

/** Uses the last occurrence, because the text before it is arbitrary. */
function embeddedData(html: string): string {
  const start = html.lastIndexOf(dataTag.open)
  const end = html.indexOf(dataTag.close, start)
  return start === -1 || end === -1 ? '' : unescapeMarkup(html.slice(start + dataTag.open.length, end))
}
