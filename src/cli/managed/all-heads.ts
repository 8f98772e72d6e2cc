import { type LoggedVersion, type LogPlace, logStart } from '../../store/documents/document-log.ts'
import { openDocumentHeads } from '../../store/open.ts'
import { failCommand } from '../data-folder.ts'

const headsPerRead = 500

/** The newest version of each managed document, including deleted ones. A server may be running. */
export async function allHeads(home: Parameters<typeof openDocumentHeads>[0]): Promise<readonly LoggedVersion[]> {
  const log = await openDocumentHeads(home).catch(failCommand)
  const heads: LoggedVersion[] = []
  try {
    for (let place: LogPlace = logStart; ; ) {
      const page = await log.heads(place, headsPerRead)
      if (page.length === 0) return heads
      heads.push(...page)
      place = page.at(-1) ?? place
    }
  } finally {
    await log.close()
  }
}
